package recorder

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

// On a real file system that is small, the last of it stays free.
func TestSmallDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("mount a small file system: %v: only root may", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{Path: filepath.Join(dir, "a.wmt")})
	text := said(func() {
		for i := 0; i < 3000 && !r.Ended(); i++ {
			f.call(0, 1, 1, 10_000)
		}
	})
	if !r.Ended() || !strings.Contains(text, "nearly full") {
		t.Fatalf("it has ended: %v, stderr is %q; want that the disk is nearly full", r.Ended(), text)
	}
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	if free := int64(st.Bavail) * int64(st.Bsize); free < 16<<20/leaveShare {
		t.Errorf("%d bytes are free, want 5 %%", free)
	}
	info := read(t, r.Path()).info
	if info.Stopped != tracefile.StoppedDisk || info.Lost > 0 || info.Size < 4<<20 {
		t.Errorf("%+v; want one of most of the disk, without a loss", info)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// The space of what was given back is free at the end, if the file system can do that.
func TestPunch(t *testing.T) {
	f, err := create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	if err := f.write(make([]byte, 1<<20), 0); err != nil {
		t.Fatal(err)
	}
	f.punch(4096, 1<<20-8192)
	fi, err := os.Stat(f.path)
	if err != nil {
		t.Fatal(err)
	}
	if fi.Size() != 1<<20 {
		t.Errorf("%d bytes, want the size to stay", fi.Size())
	}
	if n := allocated(fi); n > 1<<19 {
		t.Skipf("%d bytes are allocated: this file system frees no space in the middle of a file", n)
	}
}
