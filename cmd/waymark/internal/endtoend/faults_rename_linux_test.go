//go:build !riscv64 && !loong64

package endtoend

import "golang.org/x/sys/unix"

// sysRename is the system call by which os.Rename renames.
const sysRename = unix.SYS_RENAMEAT
