// Package permission says who may read what is made of files:
//
//	os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permission.Of("waymark.wmt")) // 0600, as the recording
package permission

import (
	"io/fs"
	"os"
)

// Private is the mode of files that say what a program did, as recordings have it.
const Private fs.FileMode = 0o600

// Of returns the mode for a file that is made of others. Who may read or write each of the others
// may do so with the file. The file's owner may in any case. What is made of a running program is
// private. The system takes away what umask says.
func Of(inputs ...string) fs.FileMode {
	if len(inputs) == 0 {
		return Private
	}
	mode := fs.FileMode(0o666)
	for _, name := range inputs {
		info, err := os.Stat(name)
		if err != nil {
			return Private
		}
		mode &= info.Mode()
	}
	return mode | Private
}

// Folder returns the mode of a folder for files of a mode: who may read these may search it.
func Folder(mode fs.FileMode) fs.FileMode { return mode | mode&0o444>>2 }
