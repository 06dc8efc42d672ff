//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package recorder

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// An arena on a file system in memory counts as the program's memory, and can't be
// written out. In a control group with a memory limit, such as a container, the kernel
// would kill the program for what the recorder takes.

// affordable returns an error if so many bytes more are over half of what the process's
// control group leaves. What is on a disk costs nothing that can't be had back.
func (a *arena) affordable(size int64, fs *syscall.Statfs_t) error {
	const tmpfs = 0x01021994
	if fs.Type != tmpfs {
		return nil
	}
	membership := make([]byte, 4096)
	n, err := head("/proc/self/cgroup", membership)
	if err != nil {
		return nil
	}
	if left := memoryLeft("/sys/fs/cgroup", string(membership[:n])); size > left/2 {
		return fmt.Errorf("the control group's memory leaves %d bytes, half of which is for the program: set buffers to less", left)
	}
	return nil
}

// A memoryController is the names of a version's files.
type memoryController struct{ prefix, root, limit, usage, reclaimable string }

var memoryControllers = []memoryController{
	{":memory:", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
	{"0::", "", "memory.max", "memory.current", "inactive_file"},
}

// memoryLeft returns how many bytes the groups in membership, the content of
// /proc/self/cgroup, may still take, of those with a limit the least. In a container
// the path may not be there, and the group is at the root.
func memoryLeft(root, membership string) int64 {
	left := int64(math.MaxInt64)
	for _, line := range strings.Split(membership, "\n") {
		for _, c := range memoryControllers {
			at := strings.Index(line, c.prefix)
			if at < 0 || c.root == "" && at > 0 {
				continue
			}
			for dir := path.Clean("/" + line[at+len(c.prefix):]); ; dir = path.Dir(dir) {
				left = min(left, c.left(path.Join(root, c.root, dir)))
				if dir == "/" {
					break
				}
			}
		}
	}
	return left
}

// left returns what the group at dir leaves, math.MaxInt64 if it has no limit.
func (c *memoryController) left(dir string) int64 {
	number := func(file, key string) (int64, bool) {
		b := make([]byte, 16<<10)
		n, err := head(path.Join(dir, file), b)
		if err != nil {
			return 0, false
		}
		for _, line := range bytes.Split(b[:n], []byte("\n")) {
			if value, ok := bytes.CutPrefix(line, []byte(key)); ok {
				v, err := strconv.ParseInt(string(value), 10, 64)
				return v, err == nil
			}
		}
		return 0, false
	}
	limit, ok1 := number(c.limit, "")
	usage, ok2 := number(c.usage, "")
	if !ok1 || !ok2 {
		return math.MaxInt64
	}
	cached, _ := number("memory.stat", c.reclaimable+" ")
	return max(limit-usage+cached, 0)
}
