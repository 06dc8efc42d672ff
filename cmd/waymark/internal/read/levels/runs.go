package levels

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
)

// runSize is how many strokes are sorted at a time: 25 MB; a test has less.
var runSize = 1 << 18

// runs sort strokes by lane, kind, level and time. Many strokes are sorted in runs, in a file that is
// removed before it is written to; merging reads all runs at the same time.
type runs struct {
	near    string // the file is made beside this one
	list    []calltree.Stroke
	spare   []calltree.Stroke
	file    *os.File
	written int64
	runs    []extent
	writing chan error // of the run that is being sorted and written, nil if none is
}

// An extent is a part of a file.
type extent struct{ off, length int64 }

func newRuns(near string) *runs { return &runs{near: near} }

// order is that of strokes in the index. Of each kind, higher levels come first.
func order(a, b *calltree.Stroke) int {
	if a.Goroutine != b.Goroutine {
		return cmp.Compare(a.Goroutine, b.Goroutine)
	}
	if a.Kind != b.Kind {
		return cmp.Compare(a.Kind, b.Kind)
	}
	if a.High != b.High {
		return cmp.Compare(b.High, a.High)
	}
	if a.Start != b.Start {
		return cmp.Compare(a.Start, b.Start)
	}
	return cmp.Compare(a.Depth, b.Depth)
}

// sorted returns the indexes of strokes in order.
func sorted(list []calltree.Stroke) []uint32 {
	places := make([]uint32, len(list))
	for i := range places {
		places[i] = uint32(i)
	}
	slices.SortFunc(places, func(a, b uint32) int { return cmp.Or(order(&list[a], &list[b]), cmp.Compare(a, b)) })
	return places
}

// reset forgets all strokes.
func (r *runs) reset() error {
	err := r.wait()
	r.list, r.runs, r.written = r.list[:0], nil, 0
	return err
}

// add takes a stroke. It reports whether the run is full: then flush has to be called.
func (r *runs) add(st *calltree.Stroke) bool {
	r.list = append(r.list, *st)
	return len(r.list) >= runSize
}

// flush has the run sorted and written while the next one is filled.
func (r *runs) flush() error {
	if err := r.wait(); err != nil {
		return err
	}
	if r.file == nil {
		f, err := os.CreateTemp(filepath.Dir(r.near), filepath.Base(r.near)+".runs-*")
		if err != nil {
			return err
		}
		r.file = f
		os.Remove(f.Name()) // where the system can't do that now, close does
	}
	list := r.list
	r.list, r.spare = r.spare[:0], nil
	r.writing = make(chan error, 1)
	off := r.written
	go func() {
		places := sorted(list)
		w := bufio.NewWriterSize(io.NewOffsetWriter(r.file, off), 1<<18)
		var buf []byte
		var before calltree.Stroke
		n := int64(0)
		var err error
		for _, i := range places {
			st := &list[i]
			buf = binary.AppendUvarint(buf[:0], st.Goroutine-before.Goroutine)
			buf = appendStroke(buf, st, before.Start)
			before = *st
			n += int64(len(buf))
			if _, err = w.Write(buf); err != nil {
				break
			}
		}
		if err == nil {
			err = w.Flush()
		}
		r.spare = list[:0]
		r.runs = append(r.runs, extent{off, n})
		r.written = off + n
		r.writing <- err
	}()
	return nil
}

// wait waits for the run that is being written.
func (r *runs) wait() error {
	if r.writing == nil {
		return nil
	}
	err := <-r.writing
	r.writing = nil
	return err
}

func (r *runs) close() {
	r.wait()
	if r.file != nil {
		r.file.Close()
		os.Remove(r.file.Name())
	}
}

// A source is a run that is read.
type source struct {
	next calltree.Stroke
	list []calltree.Stroke // in memory
	rest []uint32          // of its indexes
	in   *bufio.Reader     // or in a file
}

func (s *source) advance() (ok bool, err error) {
	if s.in == nil {
		if len(s.rest) == 0 {
			return false, nil
		}
		s.next, s.rest = s.list[s.rest[0]], s.rest[1:]
		return true, nil
	}
	b, err := s.in.Peek(maxStroke)
	if len(b) == 0 {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return false, err
	}
	more, n := binary.Uvarint(b)
	if n <= 0 {
		return false, errDamaged
	}
	before := s.next
	used, err := parseStroke(b[n:], &s.next, before.Start)
	if err != nil {
		return false, fmt.Errorf("a sorted run: %w", err)
	}
	s.next.Goroutine = before.Goroutine + more
	_, err = s.in.Discard(n + used)
	return true, err
}

// merge calls do with all strokes in order. do must not keep them.
func (r *runs) merge(do func(*calltree.Stroke) error) error {
	if err := r.wait(); err != nil {
		return err
	}
	r.spare = nil
	heap := []*source{}
	open := func(s *source) error {
		ok, err := s.advance()
		if ok {
			heap = append(heap, s)
		}
		return err
	}
	for _, e := range r.runs {
		if err := open(&source{in: bufio.NewReaderSize(io.NewSectionReader(r.file, e.off, e.length), 1<<16)}); err != nil {
			return err
		}
	}
	if err := open(&source{list: r.list, rest: sorted(r.list)}); err != nil {
		return err
	}
	down := func(i int) {
		for {
			least := i
			for c := 2*i + 1; c <= 2*i+2 && c < len(heap); c++ {
				if order(&heap[c].next, &heap[least].next) < 0 {
					least = c
				}
			}
			if least == i {
				return
			}
			heap[i], heap[least] = heap[least], heap[i]
			i = least
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		down(i)
	}
	for len(heap) > 0 {
		s := heap[0]
		if err := do(&s.next); err != nil {
			return err
		}
		ok, err := s.advance()
		if err != nil {
			return err
		}
		if !ok {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		down(0)
	}
	return nil
}
