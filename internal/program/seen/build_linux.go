package seen

import (
	"bytes"
	"encoding/binary"
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

// build returns the build id that the linker notes at the beginning of a program. It is in an ELF
// note of type 4, whose name is Go. It is empty if there is none.
func build(start []byte) string {
	const name = "\x04\x00\x00\x00Go\x00\x00" // behind the sizes of name and id
	at := bytes.Index(start, []byte(name))
	if at < 8 {
		return ""
	}
	id := start[at+len(name):]
	n := binary.LittleEndian.Uint32(start[at-4:])
	if n > mostPath || int(n) > len(id) {
		return ""
	}
	return string(id[:n])
}
