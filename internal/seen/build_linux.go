package seen

import (
	"bytes"
	"fmt"
	"syscall"
)

// buildID returns what tells builds of this program apart: the linker's id, or else size and time of
// the file. Package os would start the network poller, whose descriptor the program may close.
func buildID(string) string {
	const most = 64 << 10 // the linker's id is within
	fd, err := syscall.Open("/proc/self/exe", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer syscall.Close(fd)
	b := make([]byte, most)
	n, _ := read(fd, b, 0)
	if id := build(b[:n]); id != "" {
		return id
	}
	var st syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil {
		return ""
	}
	return fmt.Sprintf("%d bytes of %d.%09d", st.Size, st.Mtim.Sec, st.Mtim.Nsec)
}

// build returns what tells builds of a program apart, by the beginning of its file: the build id that
// the linker puts in front of the code. It is empty if there is none.
func build(start []byte) string {
	_, after, _ := bytes.Cut(start, []byte("\xff Go build ID: \""))
	id, _, ok := bytes.Cut(after, []byte("\"\n \xff"))
	if !ok || len(id) > mostPath {
		return ""
	}
	return string(id)
}
