package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

// Identity distinguishes versions of this command by their content, whatever their files' times say:
// builds from one working tree differ, and copies don't.
var Identity = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(exe)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return contentOf(f)
})

// The linker puts the build ID, which ends in a hash of what was linked, into a note of ELF files: its
// length, this, and the ID. In other files it is at the beginning of the code, between marks.
var (
	buildIDNote              = []byte("\x04\x00\x00\x00Go\x00\x00")
	buildIDBegin, buildIDEnd = []byte("\xff Go build ID: \""), []byte("\"\n \xff")
)

// hasHash reports whether the go command has made a build ID: the hash of what was linked is behind the
// last slash. -ldflags=-buildid=redacted is the same for all programs.
func hasHash(id []byte) bool { return bytes.IndexByte(id, '/') > 0 }

// contentOf returns the build ID of a program. Where it is not among the first bytes, or is not of the
// go command's making, contentOf returns a hash of the whole file.
func contentOf(program io.ReadSeeker) (string, error) {
	first := make([]byte, 64<<10)
	n, err := io.ReadFull(program, first)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return "", err
	}
	if before, rest, ok := bytes.Cut(first[:n], buildIDNote); ok && len(before) >= 4 {
		if size := binary.LittleEndian.Uint32(before[len(before)-4:]); size < uint32(len(rest)) && hasHash(rest[:size]) {
			return string(rest[:size]), nil
		}
	}
	if _, rest, ok := bytes.Cut(first[:n], buildIDBegin); ok {
		if id, _, ok := bytes.Cut(rest, buildIDEnd); ok && hasHash(id) {
			return string(id), nil
		}
	}
	if _, err := program.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, program); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
