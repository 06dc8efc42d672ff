//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package tracefile

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

var testNonce = [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

// putChunk writes a chunk of an arena.
func putChunk(b []byte, h format.Chunk, recs []format.Record) {
	le := binary.LittleEndian
	for i, r := range recs {
		le.PutUint64(b[format.ChunkHeader+i*format.RecordSize:], r.Clock)
		le.PutUint64(b[format.ChunkHeader+i*format.RecordSize+8:], r.Word)
	}
	le.PutUint32(b[4:], h.Stream)
	le.PutUint64(b[8:], h.Seq)
	le.PutUint64(b[16:], h.Clock)
	le.PutUint64(b[24:], h.Goroutine)
	le.PutUint32(b[32:], h.End)
	le.PutUint64(b[40:], h.Lost)
	le.PutUint32(b, h.State)
}

// putOrigin appends an origin to a control chunk.
func putOrigin(control []byte, fn, file string, line int) {
	le := binary.LittleEndian
	used := le.Uint32(control[56:])
	e := control[format.OriginsOffset+used:]
	le.PutUint32(e[8:], uint32(line))
	le.PutUint16(e[12:], uint16(len(fn)))
	le.PutUint16(e[14:], uint16(len(file)))
	copy(e[16:], fn+file)
	le.PutUint32(control[56:], used+uint32(16+len(fn)+len(file)+7)&^7)
}

// A killed is a recording whose program was killed.
type killed struct {
	file, arena []byte
	events      []Event // all that the program recorded
	lost        uint64
	last        uint64 // clock of the end
	missing     uint64 // events that are only in the arena
	partial     int    // offset of the last block, which is in the arena, too
}

// newKilled makes a recording of two streams. The file has five blocks, of
// which the arena still has the last. Besides, the arena has a full chunk for
// each stream, an active one, and one without records that tells of losses. It
// has what earlier uses left, too.
func newKilled(t *testing.T) *killed {
	w := newTrace(format.KeyValue{Key: format.MetaArena, Value: "prog.trace.live"},
		format.KeyValue{Key: format.MetaNonce, Value: hex.EncodeToString(testNonce[:])})
	k := &killed{arena: make([]byte, 12*format.ChunkSize)}
	format.PutControl(k.arena, format.Control{PID: 42, Nonce: testNonce})
	k.last = testStart + 100000
	binary.LittleEndian.PutUint64(k.arena[40:], k.last)
	binary.LittleEndian.PutUint64(k.arena[48:], uint64(testClock.At(k.last).MonoNano))
	putOrigin(k.arena, "main.main", "main.go", 5)
	putOrigin(k.arena, "main.serve", "serve.go", 77)
	w.Block(format.BlockOrigins, format.AppendOrigins(nil, []format.Origin{{ID: 1, Func: "main.main", File: "main.go", Line: 5}}))

	whole := newTrace() // a file with all events
	a, b := newWalker(1, testStart), newWalker(2, testStart+51)
	chunk := func(walk *walker, n int, h format.Chunk) (format.Chunk, []format.Record) {
		recs := walk.walk(nil, n, 40)
		w.Seq++
		h.Seq, h.Goroutine, h.Clock, h.Lost = w.Seq, 1+uint64(h.Stream), recs[0].Clock-1, uint64(h.Stream)
		h.End = uint32(format.ChunkHeader + n*format.RecordSize)
		whole.Events(h, recs)
		k.lost += h.Lost
		return h, recs
	}
	at := func(i int) []byte { return k.arena[i*format.ChunkSize : (i+1)*format.ChunkSize] }
	for i := uint32(0); i < 5; i++ {
		h, recs := chunk([]*walker{a, b}[i%2], 30, format.Chunk{Stream: i % 2, State: format.ChunkFree})
		k.partial = len(w.File)
		w.Events(h, recs)
		// Chunks 7 and 8 are used again.
		if i == 4 {
			h.State = format.ChunkFull
		}
		putChunk(at(7+int(i)%3), h, recs)
	}
	h, recs := chunk(b, 40, format.Chunk{Stream: 1, State: format.ChunkFull})
	putChunk(at(9), h, recs)
	h, recs = chunk(a, 20, format.Chunk{Stream: 0, State: format.ChunkFull})
	putChunk(at(2), h, recs)
	// Active, in memory that was used by chunk 4: the kill came between the word and
	// the clock of a record.
	h, recs = chunk(a, 10, format.Chunk{Stream: 0, State: format.ChunkActive})
	putChunk(at(7), h, recs)
	binary.LittleEndian.PutUint64(at(7)[format.ChunkHeader+10*format.RecordSize+8:], 5<<format.SiteShift|200)
	putChunk(at(11), format.Chunk{State: format.ChunkActive, Stream: 1, Seq: w.Seq + 1, Clock: b.clock, Lost: 100}, nil)
	k.lost += 100

	k.file = w.File
	k.missing = 70
	for _, b := range eventBlocks(t, whole.File) {
		k.events = append(k.events, b.events...)
	}
	slices.SortStableFunc(k.events, func(a, b Event) int { return int(int64(a.Clock - b.Clock)) })
	return k
}

// write makes the files in a new folder and gives the trace file's path.
func (k *killed) write(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prog.trace")
	k.rewrite(t, path)
	return path
}

func (k *killed) rewrite(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, k.file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".live", k.arena, 0o600); err != nil {
		t.Fatal(err)
	}
}

// check opens the file at path and checks that it has all events, recovered of them by this Open.
func (k *killed) check(t *testing.T, path string, recovered uint64) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	same(t, all(t, f), k.events)
	info := f.Info()
	if info.Complete || info.Recovered != recovered || info.Events != uint64(len(k.events)) || info.Lost != k.lost || info.Damaged != 0 ||
		info.RecoveryErr != nil {
		t.Errorf("got %+v; want %d events, %d recovered, %d lost", info, len(k.events), recovered, k.lost)
	}
	if want := testClock.At(k.last).MonoNano - testMono; int64(info.Duration) != want {
		t.Errorf("duration %d ns, want %d", info.Duration, want)
	}
	if o, ok := f.Origin(2); !ok || o.Func != "main.serve" || o.File != "serve.go" || o.Line != 77 {
		t.Errorf("origin 2 is %+v, %v", o, ok)
	}
	return f
}

// untouched checks that the files are as they were written.
func (k *killed) untouched(t *testing.T, path string) {
	t.Helper()
	for path, want := range map[string][]byte{path: k.file, path + ".live": k.arena} {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s was changed: %v", path, err)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func TestRecover(t *testing.T) {
	k := newKilled(t)
	path := k.write(t)
	if f := k.check(t, path, k.missing); f.Info().UnsavedErr != nil || f.Info().Live {
		t.Errorf("got %+v", f.Info())
	}
	if exists(path + ".live") {
		t.Error("the arena is still there")
	}
	k.check(t, path, k.missing) // it is in the file now
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(file, k.file) {
		t.Error("what was in the file has changed")
	}
	// The last pair of clocks is there, with the wall clock as at the first.
	f := openBytes(t, file)
	if got, want := f.pairs[1], testClock.At(k.last); got != want {
		t.Errorf("last pair %+v, want %+v", got, want)
	}
}

// A recording whose file could not be written any more, not even to its end, has ended. The arena
// says it, while the program lives and after it was killed.
func TestRecoverStopped(t *testing.T) {
	k := newKilled(t)
	format.PutStopped(k.arena, format.Full)
	path := k.write(t)
	if info := k.check(t, path, k.missing).Info(); info.Stopped != StoppedFull {
		t.Errorf("stopped by %q, want max-size", info.Stopped)
	}
	format.PutStopped(k.arena, format.Failed)
	path = k.write(t)
	for i := 0; i < 2; i++ { // the second time from the End block
		if info := k.check(t, path, k.missing).Info(); info.Stopped != StoppedFailed {
			t.Errorf("stopped by %q", info.Stopped)
		}
	}
	path = k.write(t)
	arena, err := os.Open(path + ".live")
	if err != nil {
		t.Fatal(err)
	}
	defer arena.Close()
	if !tryLock(arena) {
		t.Fatal("no lock")
	}
	if info := k.check(t, path, k.missing).Info(); info.Stopped != StoppedFailed || !info.Live {
		t.Errorf("while the program lives: %+v", info)
	}
}

// The program was killed between the two halves of the last clock pair.
func TestRecoverTornPair(t *testing.T) {
	k := newKilled(t)
	whole := int64(binary.LittleEndian.Uint64(k.arena[48:]))
	for _, mono := range []int64{testMono - 1, testMono, testMono + (whole-testMono)/2, whole + 1e9, -1} {
		binary.LittleEndian.PutUint64(k.arena[48:], uint64(mono))
		f, err := Open(k.write(t))
		if err != nil {
			t.Fatal(err)
		}
		last := k.events[len(k.events)-1].Clock
		if got, want := f.Nanos(last), int64(last-testStart)/2; got != want || int64(f.Info().Duration) != want {
			t.Errorf("pair with %d ns: the last event is at %d ns of %v, want %d", mono-testMono, got, f.Info().Duration, want)
		}
		f.Close()
	}
}

// The program was killed while it wrote a block.
func TestRecoverPartialBlock(t *testing.T) {
	k := newKilled(t)
	file := k.file
	for n := k.partial; n < len(file); n++ {
		k.file = file[:n]
		k.check(t, k.write(t), k.missing+30)
		if t.Failed() {
			t.Fatalf("with the last block cut off after %d bytes", n-k.partial)
		}
	}
	// A block that is there, but not what was written.
	k.file = slices.Clone(file)
	k.file[len(file)-1] ^= 1
	k.check(t, k.write(t), k.missing+30)
}

// The first recovery was killed, too.
func TestRecoverAgain(t *testing.T) {
	k := newKilled(t)
	path := k.write(t)
	k.check(t, path, k.missing)
	recovered, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	added := eventBlocks(t, recovered)[5:]
	file := k.file
	for n := len(file); n < len(recovered); n += 7 {
		k.file = recovered[:n]
		missing := k.missing
		for _, b := range added {
			if b.end <= n {
				missing -= uint64(len(b.events))
			}
		}
		path := k.write(t)
		k.check(t, path, missing)
		if t.Failed() {
			t.Fatalf("first recovery ended at byte %d of %d", n, len(recovered))
		}
		if again, err := os.ReadFile(path); err != nil || len(eventBlocks(t, again)) != 9 {
			t.Fatalf("%d blocks, want 9: %v", len(eventBlocks(t, again)), err)
		}
	}
	// It was killed between the End block and the arena's removal.
	k.file = recovered
	path = k.write(t)
	k.check(t, path, k.missing)
	if exists(path + ".live") {
		t.Error("the arena is still there")
	}
}

func TestReadWhileRecording(t *testing.T) {
	k := newKilled(t)
	file := k.file
	for _, n := range []int{len(file), len(file) - 20} { // in the middle of a block, too
		k.file = file[:n]
		path := k.write(t)
		program, err := os.Open(path + ".live")
		if err != nil {
			t.Fatal(err)
		}
		defer program.Close()
		if !tryLock(program) {
			t.Fatal("no lock")
		}
		missing := k.missing
		if n < len(file) {
			missing += 30
		}
		if f := k.check(t, path, missing); !f.Info().Live || f.Info().UnsavedErr != nil {
			t.Errorf("got %+v", f.Info())
		}
		k.untouched(t, path)
		program.Close()
		if f := k.check(t, path, missing); f.Info().Live {
			t.Errorf("got %+v", f.Info())
		}
	}
}

// An arena that is not the recording's, or not one at all, is left alone.
func TestRecoverOtherArena(t *testing.T) {
	const outside = "elsewhere"
	for _, test := range []struct {
		name string
		make func(arena string) error
		says string // "": it is no error
	}{
		{"nonce", func(arena string) error {
			b, err := os.ReadFile(arena)
			if err != nil {
				return err
			}
			b[24] ^= 1
			return os.WriteFile(arena, b, 0o600)
		}, "belongs to another recording"},
		{"magic", func(arena string) error { return os.WriteFile(arena, make([]byte, format.ChunkSize), 0o600) }, "not a waymark arena"},
		{"empty", func(arena string) error { return os.Truncate(arena, 0) }, "not a waymark arena"},
		{"gone", os.Remove, ""},
		{"folder", func(arena string) error { return errors.Join(os.Remove(arena), os.Mkdir(arena, 0o777)) }, "not a regular file"},
		{"fifo", func(arena string) error { return errors.Join(os.Remove(arena), syscall.Mkfifo(arena, 0o600)) }, "not a regular file"},
		{"link", func(arena string) error {
			return errors.Join(os.Rename(arena, arena+outside), os.Symlink(arena+outside, arena))
		}, "not a regular file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := newKilled(t)
			path := k.write(t)
			if err := test.make(path + ".live"); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			same(t, all(t, f), want(t, k.file))
			info := f.Info()
			if info.Complete || info.Live || info.Recovered != 0 || (test.says == "") != (info.RecoveryErr == nil) ||
				test.says != "" && !strings.Contains(info.RecoveryErr.Error(), test.says) {
				t.Errorf("got %+v, want an error that says %q", info, test.says)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, k.file) {
				t.Errorf("the file has changed: %v", err)
			}
			if test.name != "gone" && !exists(path+".live") {
				t.Error("it was removed")
			}
		})
	}
}

// An arena that was cut short, or whose headers make no sense, gives what it can.
func TestRecoverDamagedArena(t *testing.T) {
	k := newKilled(t)
	arena := k.arena
	for n := format.OriginsOffset; n < len(arena); n += 3 * format.ChunkSize / 5 {
		k.arena = arena[:n]
		f, err := Open(k.write(t))
		if err != nil {
			t.Fatal(err)
		}
		if info := f.Info(); info.Damaged != 0 || info.Events < 150 || info.RecoveryErr != nil {
			t.Errorf("%d bytes: got %+v", n, info)
		}
		f.Close()
	}
	k.arena = slices.Clone(arena)
	for i := 1; i < 12; i++ {
		header := k.arena[i*format.ChunkSize:][:format.ChunkHeader]
		for j := range header {
			header[j] = byte(i * 37)
		}
		header[0], header[1], header[2], header[3] = byte(i%3), 0, 0, 0
		header[6] = byte(i % 2) // a stream that there can't be
	}
	binary.LittleEndian.PutUint32(k.arena[56:], 1<<31)
	f, err := Open(k.write(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all(t, f)
	if info, err := f.Verify(); err != nil || info.Damaged != 0 {
		t.Errorf("got %+v, %v", info, err)
	}
}

// Of several readers at once one completes the file; all see the same.
func TestRecoverAtTheSameTime(t *testing.T) {
	k := newKilled(t)
	for i := 0; i < 20; i++ {
		path := k.write(t)
		var wg sync.WaitGroup
		for r := 0; r < 8; r++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				f, err := Open(path)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				e := f.Events()
				var ev Event
				n := 0
				for e.Next(&ev) {
					if n < len(k.events) && !equal(ev, k.events[n]) {
						t.Errorf("event %d is %+v, want %+v", n, ev, k.events[n])
						return
					}
					n++
				}
				if info := f.Info(); n != len(k.events) || e.Err() != nil || info.Damaged != 0 || info.RecoveryErr != nil || info.UnsavedErr != nil {
					t.Errorf("%d events, want %d: %v, %+v", n, len(k.events), e.Err(), info)
				}
			}()
		}
		wg.Wait()
		if exists(path + ".live") {
			t.Error("the arena is still there")
		}
		k.check(t, path, k.missing)
	}
}

// TestRecoverVersion1 completes a file of a version that has the name of each test event.
func TestRecoverVersion1(t *testing.T) {
	tests := []format.TestEvent{
		{Clock: testStart + 1, Goroutine: 7, State: format.TestBegins, Name: "TestX"},
		{Clock: testStart + 2, Goroutine: 7, State: format.TestPasses, Name: "TestX"},
	}
	for version, names := range map[byte]int{1: 2, format.Version: 1} {
		w := newTrace()
		w.File[len("waymark\n")] = version
		blocks, _ := openBytes(t, w.File).rest(&format.Snapshot{Tests: tests})
		if n := bytes.Count(blocks, []byte("TestX")); n != names {
			t.Errorf("version %d: the name is there %d times, want %d", version, n, names)
		}
		if got := openBytes(t, append(w.File, blocks...)).Tests(); len(got) != 2 || got[0].Name != "TestX" || got[1].Name != "TestX" {
			t.Errorf("version %d: %v", version, got)
		}
	}
}
