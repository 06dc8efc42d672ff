package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/waymark-go/waymark/internal/text/names"
)

// Own reports whether a process is of the user who has called this command, by sudo perhaps.
func Own(pid int) bool {
	uid, _, err := owner(pid)
	return err == nil && (uid == os.Geteuid() || strconv.Itoa(uid) == os.Getenv("SUDO_UID"))
}

// owner returns the user of a process, and the name of its program.
func owner(pid int) (uid int, program string, err error) {
	dir := fmt.Sprintf("/proc/%d", pid)
	fi, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, "", fmt.Errorf("there is no process %d", pid)
	}
	if err != nil {
		return 0, "", err
	}
	if exe, err := os.Readlink(dir + "/exe"); err == nil {
		program = filepath.Base(exe)
	} else if comm, err := os.ReadFile(dir + "/comm"); err == nil {
		program = string(comm[:max(len(comm)-1, 0)])
	}
	program = names.Printable(program)
	return int(fi.Sys().(*syscall.Stat_t).Uid), program, nil
}
