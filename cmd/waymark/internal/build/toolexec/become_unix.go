//go:build unix

package toolexec

import (
	"os"
	"os/exec"
	"syscall"
)

// become runs a command in place of this one.
func become(words []string) error {
	path, err := exec.LookPath(words[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, words, os.Environ())
}
