package seen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A File is a seen file that this process and others write to.
type File struct {
	Path string

	dev, ino uint64
	mem      []byte // the head, mapped
	pid      int

	mu     sync.Mutex
	at     int64 // where the next table is
	failed bool
}

// Name returns the path of the file.
func (f *File) Name() string { return f.Path }

// mostBuilds is how many builds have files of one name, with numbers.
const mostBuilds = 1000

// Start opens the file at path, or makes it, with such facts in its head, and has the runtime set bits in
// it. If the file is another build's, the file's name gets a number.
func Start(path string, facts []format.KeyValue) (*File, error) {
	head, err := format.AppendSeenHead(nil, facts)
	if err != nil {
		return nil, err
	}
	ext := filepath.Ext(path)
	for n := 1; n <= mostBuilds; n++ {
		f := &File{Path: path, pid: os.Getpid(), at: format.SeenTables}
		if n > 1 {
			f.Path = fmt.Sprintf("%s-%d%s", path[:len(path)-len(ext)], n, ext)
		}
		if err = f.join(head, facts); !errors.Is(err, errBuild) {
			if err != nil {
				return nil, err
			}
			if n > 1 {
				console.Say("seen: %s is of another build of the program; this one's is %s", path, f.Path)
			}
			if rt.Enabled {
				rt.SeenStart(f.mem[format.SeenBits:])
			}
			return f, nil
		}
	}
	return nil, err
}

// errBuild says that a file is of another build.
var errBuild = errors.New("the file is of another build of the program: name another one")

// join opens the file, writes the head if it is new, and maps it.
func (f *File) join(head []byte, facts []format.KeyValue) error {
	fd, st, err := f.open(syscall.O_CREAT)
	if err != nil {
		return err
	}
	defer release(fd)
	f.dev, f.ino = uint64(st.Dev), st.Ino
	there := make([]byte, format.SeenBits)
	n, err := read(fd, there, 0)
	if err != nil {
		return f.failure("read", err)
	}
	if there = there[:n]; bytes.Count(there, []byte{0}) == n { // new, or its maker was killed
		if st.Size > format.SeenTables {
			return f.failure("open", format.ErrNotSeen)
		}
		if err := f.reserve(fd); err != nil {
			return err
		}
		if err := f.write(fd, head, 0); err != nil {
			return err
		}
	} else {
		known, err := format.ParseSeenHead(there)
		if err != nil {
			return f.failure("open", fmt.Errorf("%w: remove it, or name another one", err))
		}
		if value(known, format.MetaBuild) != value(facts, format.MetaBuild) || value(facts, format.MetaBuild) == "" {
			return errBuild
		}
		if st.Size < format.SeenTables {
			if err := f.reserve(fd); err != nil {
				return err
			}
		}
	}
	f.mem, err = syscall.Mmap(fd, 0, format.SeenTables, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return f.failure("map", err)
	}
	return nil
}

func value(meta []format.KeyValue, key string) string {
	for _, kv := range meta {
		if kv.Key == key {
			return kv.Value
		}
	}
	return ""
}

// failure returns an error about the file.
func (f *File) failure(op string, err error) error {
	return &fs.PathError{Op: op, Path: f.Path, Err: err}
}

// How long a process waits for another one to write a table.
const (
	lockPause = time.Millisecond
	mostTries = 2000
)

// open opens the file and locks it until release. The descriptor is not kept, as the program may close all
// that it finds.
func (f *File) open(flag int) (fd int, st syscall.Stat_t, err error) {
	for err = syscall.EINTR; err == syscall.EINTR; {
		fd, err = syscall.Open(f.Path, syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|flag, 0o600)
	}
	if err != nil {
		return 0, st, f.failure("open", err)
	}
	if err = syscall.Fstat(fd, &st); err == nil && st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		err = errors.New("it is not a regular file: name another one")
	}
	for tries := 0; err == nil; tries++ {
		if err = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			break
		}
		if err == syscall.EWOULDBLOCK && tries == mostTries {
			err = errors.New("another process keeps it locked: name another one")
		} else if err == syscall.EWOULDBLOCK || err == syscall.EINTR {
			err = nil
			time.Sleep(lockPause)
		}
	}
	if err == nil {
		err = syscall.Fstat(fd, &st)
	}
	if err != nil {
		syscall.Close(fd)
		return 0, st, f.failure("open", err)
	}
	return fd, st, nil
}

// release unlocks and closes a file. A mapping of the file would keep the lock.
func release(fd int) {
	syscall.Flock(fd, syscall.LOCK_UN)
	syscall.Close(fd)
}

// reserve allocates the space of the head, so that setting a bit never finds the disk full.
func (f *File) reserve(fd int) error {
	if err := f.allowed(format.SeenTables); err != nil {
		return err
	}
	for {
		switch err := syscall.Fallocate(fd, 0, 0, format.SeenTables); err {
		case nil:
			return nil
		case syscall.EINTR:
		case syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.EPERM: // it can't be reserved here: write
			b := make([]byte, format.SeenTables)
			n, err := read(fd, b, 0)
			if err != nil {
				return f.failure("read", err)
			}
			return f.write(fd, b[n:], int64(n))
		default:
			return f.failure("make room in", err)
		}
	}
}

// allowed returns an error if the file may not have that size. Just to write would make the kernel send
// SIGXFSZ to the program.
func (f *File) allowed(size int64) error {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit) == nil && uint64(size) > uint64(limit.Cur) {
		return f.failure("write", fmt.Errorf("%w: the limit is %d bytes (ulimit -f)", syscall.EFBIG, limit.Cur))
	}
	return nil
}

func (f *File) write(fd int, b []byte, at int64) error {
	if err := f.allowed(at + int64(len(b))); err != nil {
		return err
	}
	for len(b) > 0 {
		n, err := syscall.Pwrite(fd, b, at)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return f.failure("write", err)
		}
		b, at = b[n:], at+int64(n)
	}
	return nil
}

// read fills b from the file, as far as the file goes.
func read(fd int, b []byte, at int64) (n int, err error) {
	for n < len(b) {
		m, err := syscall.Pread(fd, b[n:], at+int64(n))
		if err == syscall.EINTR {
			continue
		}
		if err != nil || m == 0 {
			return n, err
		}
		n += m
	}
	return n, nil
}

// Register makes sure that the file has the table of p, behind those of the packages before. All
// processes of a build register the same packages in the same order, but for plugins.
func (f *File) Register(p *rt.Package) {
	if len(p.Sites) == 0 || os.Getpid() != f.pid { // the lock may be held for ever in a copy (fork)
		return
	}
	if rt.Enabled {
		rt.Mute(true)
		defer rt.Mute(false)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed {
		return
	}
	if err := f.register(p); err != nil {
		f.failed = true
		console.Say("seen: %v; functions of package %s and of packages that are initialised later are missing", err, packageOf(p))
	}
}

func packageOf(p *rt.Package) string {
	pkg, _, _ := format.ParseTable([]byte(p.Table))
	return pkg
}

func (f *File) register(p *rt.Package) error {
	if end := int64(p.Base) + int64(len(p.Sites)); end > format.SeenSites {
		return fmt.Errorf("the program has more than %d functions", format.SeenSites)
	}
	fd, st, err := f.again()
	if err != nil {
		return err
	}
	defer release(fd)
	want := format.AppendSeenTable(nil, p.Base, p.Table)
	there := make([]byte, len(want))
	n, err := read(fd, there, f.at)
	if err != nil {
		return f.failure("read", err)
	}
	switch {
	case n == len(want) && bytes.Equal(there, want):
		f.at += int64(len(want))
		return nil
	case n == 0 || f.cut(fd, st.Size): // behind a block that its writer was killed at there is nothing
		return f.put(fd, want)
	}
	return f.failure("write", errors.New("another process of the program registered its packages in another order"))
}

// put writes a block as the last one of the file, in place of one that was not written whole.
func (f *File) put(fd int, block []byte) error {
	if err := f.write(fd, block, f.at); err != nil {
		return err
	}
	f.at += int64(len(block))
	for {
		if err := syscall.Ftruncate(fd, f.at); err != syscall.EINTR {
			return err
		}
	}
}

// again opens and locks the file that was joined.
func (f *File) again() (fd int, st syscall.Stat_t, err error) {
	fd, st, err = f.open(0)
	if err == nil && (uint64(st.Dev) != f.dev || st.Ino != f.ino) {
		release(fd)
		err = f.failure("open again", errors.New("another file is there now"))
	}
	return fd, st, err
}

// cut reports whether the table at f.at was not written whole.
func (f *File) cut(fd int, size int64) bool {
	b := make([]byte, size-f.at)
	n, err := read(fd, b, f.at)
	if err != nil {
		return false
	}
	_, _, err = format.NextSeen(b[:n])
	return err != nil
}

// End says what went wrong since Start.
func (f *File) End() {
	if _, broken := rt.SeenCalls(); broken && os.Getpid() == f.pid {
		console.Say("seen: %s could not be reached, as others have cut it or its disk failed: calls since then are missing", f.Path)
	}
}
