package tracefile

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// recoverFile completes f, the recording at path, from its arena, unless it has
// an End block. What it returns replaces f. Only reading the trace file itself can
// fail: whatever is wrong with the arena leaves the file as it is.
func recoverFile(f *File, file *os.File, path string) (*File, error) {
	a, problem := openArena(f, path)
	if a != nil {
		defer a.close()
	}
	if f.trailer != nil {
		if a != nil && a.dead && a.ours(file) == nil {
			os.Remove(a.path) // what ended the file was killed before it could
		}
		return f, nil
	}
	// The arena is read before the file is read again. What a living program moves from the one to the
	// other meanwhile is then seen twice, not never.
	var s *format.Snapshot
	if a != nil && !(a.dead && a.removed()) {
		if s, problem = a.read(f); problem != nil {
			problem = fmt.Errorf("%s: %w", a.path, problem)
		}
	}
	f, err := openFile(file)
	if err != nil || f.trailer != nil {
		return f, err // if there is an End block now, the file was completed meanwhile
	}
	if s == nil {
		f.recoveryErr = problem
		return f, nil
	}
	tail, added := f.rest(s)
	var unsaved error
	if a.dead {
		tail = f.appendEnd(tail, s, added)
		if unsaved = a.save(file, path, f.tail, tail); unsaved == nil {
			return openFile(file)
		}
	}
	f, err = NewFile(&joined{file, f.tail, tail}, f.tail+int64(len(tail)))
	if err != nil {
		return nil, err
	}
	f.live, f.recovered, f.unsavedErr, f.stopped = !a.dead, added.events, unsaved, uint64(s.Stopped)
	return f, nil
}

// rest returns the blocks that s has beyond those in f.
func (f *File) rest(s *format.Snapshot) (blocks []byte, added tally) {
	if s.Before > 0 {
		from := format.KeyValue{Key: format.MetaFrom, Value: strconv.FormatUint(s.Before, 10)}
		blocks = format.AppendBlock(blocks, format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{from}))
	}
	var origins []format.Origin
	for _, o := range s.Origins {
		if _, ok := f.origins[o.ID]; !ok {
			origins = append(origins, o)
		}
	}
	if len(origins) > 0 {
		blocks = format.AppendBlock(blocks, format.BlockOrigins, format.AppendOrigins(nil, origins))
	}
	blocks = f.appendTypes(blocks, s.Types)
	for tests := f.newTests(s.Tests); len(tests) > 0; {
		n := len(tests)
		if f.version == 1 {
			n = 1 // readers of that version want all names, and a block's first event has it
		}
		blocks = format.AppendBlock(blocks, format.BlockTests, format.AppendTests(nil, tests[:n]))
		tests = tests[n:]
	}
	for i := range s.Chunks {
		if c := &s.Chunks[i]; !f.holds(c.Stream, c.Seq) {
			blocks = append(blocks, c.Block...)
			added.events += c.Events
			added.lost += c.Lost
		}
	}
	if p, ok := f.latestPair(s); ok {
		blocks = format.AppendBlock(blocks, format.BlockClock, format.AppendClock(nil, p))
	}
	return blocks, added
}

// newTests returns those of the journal's test events that f has not.
func (f *File) newTests(journal []format.TestEvent) (tests []format.TestEvent) {
	if len(journal) == 0 {
		return nil
	}
	first := slices.MinFunc(journal, func(a, b format.TestEvent) int { return cmp.Compare(a.Clock, b.Clock) }).Clock
	have := make(map[TestEvent]bool)
	for _, t := range f.tests {
		if t.Clock >= first {
			have[t] = true
		}
	}
	for _, t := range journal {
		if !have[testEvent(t)] {
			tests = append(tests, t)
		}
	}
	return tests
}

// appendTypes appends Types blocks of those descriptions that f has not.
func (f *File) appendTypes(blocks, descriptions []byte) []byte {
	types, _ := format.ParseTypes(descriptions) // what is damaged ends the list
	var missing []byte
	for i := range types {
		if _, ok := f.types[types[i].ID]; !ok {
			missing = format.AppendType(missing, &types[i])
		}
		if len(missing) > format.MaxPayload/2 || i == len(types)-1 && len(missing) > 0 {
			blocks = format.AppendBlock(blocks, format.BlockTypes, missing)
			missing = missing[:0]
		}
	}
	return blocks
}

// holds reports whether f has the block of a stream with the number seq, whole.
func (f *File) holds(id uint32, seq uint64) bool {
	i, ok := slices.BinarySearchFunc(f.streams, id, func(s *stream, id uint32) int { return cmp.Compare(s.id, id) })
	if !ok {
		return false
	}
	blocks := f.streams[i].blocks
	i, ok = slices.BinarySearchFunc(blocks, seq, func(b block, seq uint64) int { return cmp.Compare(b.seq, seq) })
	if !ok {
		return false
	}
	r := blockReader{f: f}
	return r.open(&blocks[i]) == nil
}

// latestPair returns the clock pair of s if it can replace the last of f. A kill may have come
// between its halves: then it is of no use. Nor is a pair that was taken so soon after the first
// that it makes the clock's rate worse than the estimate.
func (f *File) latestPair(s *format.Snapshot) (p format.ClockPair, ok bool) {
	if len(f.pairs) == 0 {
		return p, false
	}
	first, last := f.pairs[0], f.pairs[len(f.pairs)-1]
	p = s.Pair
	p.UnixNano = first.UnixNano + p.MonoNano - first.MonoNano
	if p.Clock <= last.Clock || p.MonoNano <= last.MonoNano {
		return p, false
	}
	rate := float64(p.Clock-first.Clock) * 1e9 / float64(p.MonoNano-first.MonoNano)
	hz := float64(f.hz())
	return p, math.Abs(rate-hz) < hz/100
}

// appendEnd appends the End block of f with the blocks that come from s.
func (f *File) appendEnd(blocks []byte, s *format.Snapshot, added tally) []byte {
	t := format.Trailer{
		Clock:     f.lastClock(),
		Events:    f.found.events + added.events,
		Lost:      f.found.lost + added.lost,
		Flags:     format.Recovered | uint64(s.Stopped),
		Recovered: added.events,
	}
	if p, ok := f.latestPair(s); ok {
		t.Clock = max(t.Clock, p.Clock)
	}
	for i := range s.Chunks {
		t.Clock = max(t.Clock, s.Chunks[i].Last)
	}
	return format.AppendBlock(blocks, format.BlockEnd, format.AppendTrailer(nil, t))
}

// save replaces by tail what is behind the offset at of the file at path, and
// removes the arena. Behind the offset is the beginning of a block that the
// program could not finish. A crash in between loses nothing: the arena goes
// last, and the blocks that were appended are not appended again.
func (a *arena) save(file *os.File, path string, at int64, tail []byte) error {
	if err := a.ours(file); err != nil {
		return err
	}
	if dir := filepath.Dir(a.path); !writable(dir) {
		return fmt.Errorf("folder %s is read-only", dir)
	}
	if err := replaceTail(file, path, at, tail); err != nil {
		return err
	}
	os.Remove(a.path)
	return nil
}

// ours reports whether the recording and its arena are files of the reader's user. Those of others
// are read, and left as they are. Their folders are in others' hands, who may lead a name elsewhere
// while it is in use.
func (a *arena) ours(file *os.File) error {
	for _, f := range []*os.File{file, a.file} {
		if user, ok := foreign(f); ok {
			return fmt.Errorf("%s is user %d's", f.Name(), user)
		}
	}
	return nil
}

// replaceTail cuts the file at path, which is open as file, at an offset and appends tail.
func replaceTail(file *os.File, path string, at int64, tail []byte) (err error) {
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() {
		if err1 := w.Close(); err == nil {
			err = err1
		}
	}()
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	if now, err := w.Stat(); err != nil || !os.SameFile(now, opened) {
		return fmt.Errorf("%s: replaced by another file", path)
	}
	if err := w.Truncate(at); err != nil {
		return err
	}
	if _, err := w.WriteAt(tail, at); err != nil {
		w.Truncate(at)
		return err
	}
	return w.Sync()
}

// joined is the first n bytes of head, and then tail.
type joined struct {
	head io.ReaderAt
	n    int64
	tail []byte
}

func (j *joined) ReadAt(p []byte, off int64) (n int, err error) {
	if off < j.n {
		n, err = j.head.ReadAt(p[:min(int64(len(p)), j.n-off)], off)
		if off+int64(n) < j.n {
			return n, err
		}
	}
	if i := off + int64(n) - j.n; i < int64(len(j.tail)) {
		n += copy(p[n:], j.tail[i:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
