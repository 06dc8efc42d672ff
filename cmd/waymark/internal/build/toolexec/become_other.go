//go:build !unix

package toolexec

import (
	"os"
	"os/exec"
)

// become runs a command as if it were this one.
func become(words []string) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
