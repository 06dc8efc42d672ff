package tracefile

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/wire/format"
)

func TestRecoverReadOnly(t *testing.T) {
	for _, test := range []struct {
		name         string
		file, folder fs.FileMode
		says         string
	}{
		{"file", 0o444, 0o777, "prog.trace: permission denied"},
		{"folder", 0o666, 0o555, "is read-only"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := newKilled(t)
			path := k.write(t)
			folder := filepath.Dir(path)
			for name, mode := range map[string]fs.FileMode{path: test.file, path + ".live": 0o444, folder: test.folder, filepath.Dir(folder): 0o755} {
				if err := os.Chmod(name, mode); err != nil {
					t.Fatal(err)
				}
				if os.Geteuid() == 0 {
					if err := os.Chown(name, nobody, nobody); err != nil {
						t.Fatal(err)
					}
				}
			}
			unprivileged(t)
			f := k.check(t, path, k.missing)
			if err := f.Info().UnsavedErr; err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v, want one that says %q", err, test.says)
			}
			k.untouched(t, path)
		})
	}
}

// The recording of another user is read, and not completed: its folder is in others' hands.
func TestRecoverForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: no files of another user")
	}
	for _, foreign := range []string{"", ".live"} {
		t.Run("prog.trace"+foreign, func(t *testing.T) {
			k := newKilled(t)
			path := k.write(t)
			if err := os.Chown(path+foreign, nobody, nobody); err != nil {
				t.Fatal(err)
			}
			f := k.check(t, path, k.missing)
			if err := f.Info().UnsavedErr; err == nil || !strings.Contains(err.Error(), foreign+" is user 65534's") {
				t.Errorf("error %v, want one that names the user", err)
			}
			k.untouched(t, path)
		})
	}
}

const nobody = 65534

// unprivileged gives up root's rights until the test ends.
func unprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	if err := syscall.Setresuid(nobody, nobody, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setresuid(0, 0, 0); err != nil {
			panic(err)
		}
	})
}

// TestReadLiveProgram opens a recording again and again while a program of one stream
// writes it. Each time all that the program wrote before must be there, without a gap. In
// the end the program is killed.
func TestReadLiveProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prog.trace")
	p := newLiveProgram(t, path)
	check := func() error {
		before := p.written.Load()
		f, err := Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		e := f.Events()
		var ev Event
		n := uint64(0)
		for e.Next(&ev) {
			if want := testStart + 1 + n; ev.Clock != want || ev.Site != uint32(1+want%testSites) {
				t.Errorf("event %d is %+v", n, ev)
				return nil
			}
			n++
		}
		if info := f.Info(); n < before || info.Damaged != 0 || info.Events != n || info.RecoveryErr != nil {
			t.Errorf("%d events, want at least %d; %+v", n, before, info)
		}
		return e.Err()
	}
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for !p.ended.Load() && !t.Failed() {
				if err := check(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	p.run(t)
	wg.Wait()
	p.kill()
	if err := check(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + ".live"); err == nil {
		t.Error("the arena is still there")
	}
}

// A liveProgram records as a program does, with an arena that is mapped shared.
type liveProgram struct {
	trace   *os.File
	lock    *os.File // the arena
	mem     []byte
	written atomic.Uint64 // events
	ended   atomic.Bool
}

func newLiveProgram(t *testing.T, path string) *liveProgram {
	t.Helper()
	p := &liveProgram{}
	var err error
	if p.trace, err = os.Create(path); err != nil {
		t.Fatal(err)
	}
	if p.lock, err = os.Create(path + ".live"); err != nil {
		t.Fatal(err)
	}
	const size = 5 * format.ChunkSize
	if err := p.lock.Truncate(size); err != nil {
		t.Fatal(err)
	}
	if p.mem, err = syscall.Mmap(int(p.lock.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	format.PutControl(p.mem, format.Control{Nonce: testNonce})
	if !tryLock(p.lock) {
		t.Fatal("no lock")
	}
	w := newTrace(format.KeyValue{Key: format.MetaArena, Value: path + ".live"},
		format.KeyValue{Key: format.MetaNonce, Value: hex.EncodeToString(testNonce[:])})
	if _, err := p.trace.Write(w.File); err != nil {
		t.Fatal(err)
	}
	return p
}

// kill does what the kernel does with a killed program. The mapping holds the
// lock, too.
func (p *liveProgram) kill() {
	syscall.Munmap(p.mem)
	p.lock.Close()
	p.trace.Close()
}

// run fills chunks in turn and writes them to the file some time later.
func (p *liveProgram) run(t *testing.T) {
	defer p.ended.Store(true)
	rnd := seed.Rand(t, 1)
	var enc format.Encoder
	var full [][]byte
	clock := uint64(testStart)
	for seq := uint64(1); seq < 600; seq++ {
		chunk := p.mem[(1+seq%4)*format.ChunkSize:][:format.ChunkSize]
		state := (*uint32)(unsafe.Pointer(&chunk[0]))
		n := 1 + rnd.Intn(chunkRecords)
		putChunk(chunk, format.Chunk{Seq: seq, Clock: clock + 1, Goroutine: 1, End: uint32(format.ChunkHeader + n*format.RecordSize)}, nil)
		atomic.StoreUint32(state, format.ChunkActive)
		for i := 0; i < n; i++ {
			clock++
			r := (*format.Record)(unsafe.Pointer(&chunk[format.ChunkHeader+i*format.RecordSize]))
			atomic.StoreUint64(&r.Word, (1+clock%testSites)<<format.SiteShift|100)
			atomic.StoreUint64(&r.Clock, clock)
			p.written.Add(1)
		}
		atomic.StoreUint32(state, format.ChunkFull)
		full = append(full, chunk)
		for len(full) > rnd.Intn(4) {
			h, recs := format.Records(full[0])
			payload, _ := enc.Append(nil, h, recs)
			block := format.AppendBlock(nil, format.BlockEvents, payload)
			half := rnd.Intn(len(block))
			for _, part := range [][]byte{block[:half], block[half:]} {
				if _, err := p.trace.Write(part); err != nil {
					t.Error(err)
				}
				runtime.Gosched()
			}
			atomic.StoreUint32((*uint32)(unsafe.Pointer(&full[0][0])), format.ChunkFree)
			full = full[1:]
		}
	}
}
