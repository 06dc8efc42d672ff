package endtoend

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A confinement is what a program is kept from. It is put on between fork and exec by
// this test binary itself, see TestMain.
type confinement struct {
	Limits   map[int]uint64 // resources, as in setrlimit
	Refuse   []refusal
	ReadOnly []string // folders; "/" is all
	Writable []string // folders that remain so in a ReadOnly one
	Root     string   // chroot
	User     int
	Dir      string
}

// A refusal is a system call that fails: always, or with From if the argument
// number Arg, from 0, is From or more.
type refusal struct {
	Call  uintptr
	Errno syscall.Errno
	Arg   uint32
	From  uint32
}

// offset is pwrite's argument.
const offset = 3

// command returns the command to run a program in c.
func (c *confinement) command(t *testing.T, prog string, args ...string) *exec.Cmd {
	t.Helper()
	spec, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], append([]string{prog}, args...)...)
	cmd.Env = append(os.Environ(), confineVar+"="+string(spec))
	if len(c.ReadOnly) > 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	}
	return cmd
}

// confine is what the child does with it. It never comes back.
func confine(spec string) {
	runtime.LockOSThread() // filters are a thread's; exec makes it the only one
	var c confinement
	must("read the confinement", json.Unmarshal([]byte(spec), &c))
	for _, dir := range append(c.ReadOnly, c.Writable...) {
		if dir != "/" {
			must("bind "+dir, unix.Mount(dir, dir, "", unix.MS_BIND, ""))
		}
	}
	for _, dir := range c.ReadOnly {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		must("make read-only "+dir, unix.MountSetattr(unix.AT_FDCWD, dir, unix.AT_RECURSIVE, &attr))
	}
	for _, dir := range c.Writable {
		attr := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
		must("make writable "+dir, unix.MountSetattr(unix.AT_FDCWD, dir, 0, &attr))
	}
	if c.Root != "" {
		must("chroot", unix.Chroot(c.Root))
		must("chdir", os.Chdir("/"))
	}
	if c.Dir != "" {
		must("chdir", os.Chdir(c.Dir))
	}
	if c.User != 0 {
		must("setgroups", unix.Setgroups(nil))
		must("setgid", unix.Setresgid(c.User, c.User, c.User))
		must("setuid", unix.Setresuid(c.User, c.User, c.User))
	}
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, confineVar+"=") {
			env = append(env, kv)
		}
	}
	// Nothing is allocated from here on: the limits are meant for the program, and this one is large.
	name, err := syscall.BytePtrFromString(os.Args[1])
	must("program", err)
	argv, err := syscall.SlicePtrFromStrings(os.Args[1:])
	must("arguments", err)
	envv, err := syscall.SlicePtrFromStrings(env)
	must("environment", err)
	filter := seccomp(c.Refuse)
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	for resource, limit := range c.Limits {
		must("setrlimit", unix.Prlimit(0, resource, &unix.Rlimit{Cur: limit, Max: limit}, nil))
	}
	if len(c.Refuse) > 0 {
		must("no new privileges", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		must("seccomp", unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0))
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_EXECVE, uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envv[0])))
	must("exec "+os.Args[1], errno)
}

// confineFailed is the status of a confine that failed.
const confineFailed = 125

func must(what string, err error) {
	if err != nil {
		os.Stderr.WriteString("confine: " + what + ": " + err.Error() + "\n")
		os.Exit(confineFailed)
	}
}

// seccomp returns a filter. Where calls go by other numbers (32-bit ones on a 64-bit
// kernel) it isn't used.
func seccomp(refuse []refusal) []unix.SockFilter {
	load := func(off uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
	}
	jump := func(op uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, K: k, Jt: yes, Jf: no}
	}
	give := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	const number, args = 0, 16 // in struct seccomp_data, little-endian
	filter := []unix.SockFilter{load(number)}
	for _, r := range refuse {
		no := give(unix.SECCOMP_RET_ERRNO | uint32(r.Errno))
		if r.From == 0 {
			filter = append(filter, jump(unix.BPF_JEQ, uint32(r.Call), 0, 1), no)
			continue
		}
		filter = append(filter, jump(unix.BPF_JEQ, uint32(r.Call), 0, 4), load(args+8*r.Arg),
			jump(unix.BPF_JGE, r.From, 0, 1), no, give(unix.SECCOMP_RET_ALLOW))
	}
	return append(filter, give(unix.SECCOMP_RET_ALLOW))
}
