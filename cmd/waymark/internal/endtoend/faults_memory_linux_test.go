package endtoend

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Buffers that can't be had: the program runs untraced, or with fewer of them.
func (f *faultTest) memory(t *testing.T) {
	t.Run("address space", func(t *testing.T) {
		r := faultRun{faultTest: f, settings: ",buffers=64GiB"}
		r.Limits = map[int]uint64{unix.RLIMIT_AS: 8 << 30}
		r.untraced(t, "cannot allocate memory")
	})
	t.Run("data", func(t *testing.T) { // the buffers are a file's, and count as that
		r := faultRun{faultTest: f, env: []string{"GOMAXPROCS=2"}}
		r.Limits = map[int]uint64{unix.RLIMIT_DATA: 48 << 20}
		r.complete(t)
	})
	t.Run("huge", func(t *testing.T) {
		// Most file systems have no file of that size; tmpfs has, and then no memory holds it.
		why := "file too large for 90000000000000"
		if fileSystem(t, t.TempDir()) == unix.TMPFS_MAGIC {
			why = "mmap: cannot allocate memory for 90000000000000"
		}
		(&faultRun{faultTest: f, settings: ",buffers=9000000TB"}).untraced(t, why)
	})
	t.Run("huge ring", func(t *testing.T) {
		(&faultRun{faultTest: f, settings: ",overflow=ring,buffers=4TiB"}).untraced(t, "4398046511104 bytes")
	})
	t.Run("heap limit", func(t *testing.T) {
		// Nothing is collected: all that the recorder ever allocates counts. The records of
		// these calls take 32 MB.
		took := filepath.Join(t.TempDir(), "took")
		r := faultRun{faultTest: f, calls: 500_000, thing: "heap " + took, env: []string{"GOGC=off"}}
		r.complete(t)
		b, err := os.ReadFile(took)
		if n, err1 := strconv.Atoi(string(b)); err != nil || err1 != nil || n > 4<<20 {
			t.Errorf("%d bytes were allocated: %v, %v", n, err, err1)
		}
		r = faultRun{faultTest: f, env: []string{"GOGC=off", "GOMEMLIMIT=1MiB"}}
		r.complete(t)
	})
	t.Run("cgroup", func(t *testing.T) {
		group := memoryGroup(t, 40<<20)
		grouped := faultRun{faultTest: f, calls: 500_000, wrap: []string{"/bin/sh", "-c", `echo $$ >` + group + `/cgroup.procs && exec "$0" "$@"`}}
		r := grouped
		r.complete(t)
		// What is in memory counts, and the kernel kills who takes too much.
		dir := mountSmall(t, "200m")
		r = grouped
		r.trace = filepath.Join(dir, "f.wmt")
		r.complete(t)
		r = grouped
		r.trace, r.settings = filepath.Join(dir, "ring.wmt"), ",overflow=ring"
		r.untraced(t, "set buffers to less")
	})
	for _, size := range []string{"64k", "1m"} { // the buffers' first chunk, the first few
		t.Run("tmpfs of "+size, func(t *testing.T) {
			dir := mountSmall(t, size)
			(&faultRun{faultTest: f, trace: filepath.Join(dir, "f.wmt")}).untraced(t, "the disk is nearly full")
			(&faultRun{faultTest: f, trace: filepath.Join(dir, "f.wmt"), settings: ",max-size=1GB"}).untraced(t, "no space left on device")
		})
	}
}

// memoryGroup makes a control group with a limit of memory, bytes.
func memoryGroup(t *testing.T, limit int) string {
	for _, v := range []struct{ root, file string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, // version 1
		{"/sys/fs/cgroup", "memory.max"},
	} {
		dir, err := os.MkdirTemp(v.root, "waymark-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { syscall.Rmdir(dir) })
		if err := os.WriteFile(filepath.Join(dir, v.file), []byte(strconv.Itoa(limit)), 0); err == nil {
			return dir
		}
	}
	t.Skip("SKIPPED: needs the right to make a control group with a memory limit")
	return ""
}

// mountSmall mounts a file system of the given size.
func mountSmall(t *testing.T, size string) string {
	t.Helper()
	dir := openDir(t)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=777,size="+size); err != nil {
		t.Skipf("SKIPPED: needs the right to mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fileSystem returns the kind of the file system that dir is on, as statfs(2) names it.
func fileSystem(t *testing.T, dir string) int64 {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	return int64(st.Type)
}
