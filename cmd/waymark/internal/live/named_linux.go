package live

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// peer returns the process that listens at the socket.
func (c *Conn) peer() (p peer, err error) {
	socket, ok := c.Conn.(*net.UnixConn)
	if !ok {
		return p, fmt.Errorf("%s: want a socket of this machine", c.path)
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return p, err
	}
	var cred *syscall.Ucred
	if err1 := raw.Control(func(fd uintptr) {
		cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err1 != nil {
		err = err1
	}
	if err != nil {
		return p, err
	}
	return peer{int(cred.Pid), int(cred.Uid)}, nil
}

// Named opens a file that the program says it has written. The program may be another user's, and
// may name what it likes. So the file must be a regular one of the program's user, with no other
// name. It is looked up where the program runs, which may be a container. own reports whether the
// program is the caller's own, in the same file system. Then it is no news what the program can do
// to files, and path leads to the file for the caller, too.
func (c *Conn) Named(path string) (f *os.File, own bool, err error) {
	p, err := c.peer()
	if err != nil {
		return nil, false, err
	}
	if !filepath.IsAbs(path) {
		return nil, false, fmt.Errorf("the program says that it wrote %q: want an absolute path", path)
	}
	here := p.here()
	const flags = os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	switch {
	case here:
		f, err = os.OpenFile(path, flags, 0)
	case p.pid == 0:
		return nil, false, fmt.Errorf("the program wrote %q, where processes have other ids: it can be read there only", path)
	default:
		var root *os.Root
		if root, err = os.OpenRoot(fmt.Sprintf("/proc/%d/root", p.pid)); err != nil {
			return nil, false, err
		}
		defer root.Close()
		f, err = root.OpenFile(filepath.Clean(path)[1:], flags, 0)
	}
	if err != nil {
		return nil, false, fmt.Errorf("the program says that it wrote %q: %w", path, err)
	}
	info, err := f.Stat()
	if err == nil {
		st := info.Sys().(*syscall.Stat_t)
		switch {
		case !info.Mode().IsRegular():
			err = fmt.Errorf("the program says that it wrote %q: not a regular file", path)
		case int(st.Uid) != p.uid:
			err = fmt.Errorf("the program of user %d says that it wrote %q: the file is user %d's", p.uid, path, st.Uid)
		case st.Nlink != 1:
			err = fmt.Errorf("the program says that it wrote %q: the file has other names, or none", path)
		}
	}
	if err != nil {
		f.Close()
		return nil, false, err
	}
	return f, here && p.uid == os.Geteuid(), nil
}

// here reports whether paths lead the process to the same files as this one.
func (p peer) here() bool {
	theirs, err := os.Stat(fmt.Sprintf("/proc/%d/root", p.pid))
	if err != nil {
		return false
	}
	ours, err := os.Stat("/")
	return err == nil && os.SameFile(theirs, ours)
}
