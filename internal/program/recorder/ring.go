package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A ring keeps the newest events in the arena, and overwrites the oldest. The trace
// file has the sites and no events. Nothing runs in the background.
//
// The program may die of a panic, a fatal error or a signal, SIGKILL too. Then the
// program does nothing: it could not be relied on. The arena outlives the process,
// and the first reader completes the trace file from it, as it does for any program
// that was killed. Therefore the trace file is for that one window, and what Dump
// writes goes to files of their own.

// dumpWord is in the names of files written by Dump.
const dumpWord = "dump"

// Dumps returns the files that Dump has written beside the trace file at path, in order.
func Dumps(path string) []string { return numbered(path, dumpWord) }

// Dump writes the window to a file of its own and returns its path. Recording goes on
// meanwhile. It returns fault.ErrNoWindow if recording has ended, or keeps no ring. It returns an
// error that wraps fault.ErrEmptyWindow if there are no events; then there is no file.
func (r *Recorder) Dump() (path string, err error) {
	if !r.pid.Running() {
		return "", fault.ErrNoWindow
	}
	r.rt.Mute(true)
	defer r.rt.Mute(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.config.Overflow != rt.Ring {
		return "", fault.ErrNoWindow
	}
	// Events that happen meanwhile would be there of some streams and not of others:
	// the window ends when it begins to be read.
	now := pair(r.rt)
	s, err := r.window(now.Clock)
	if err == nil {
		err = empty(s)
	}
	if err != nil {
		return "", err
	}
	var o output
	for ; ; r.dumps++ {
		path = format.Beside(r.path, dumpWord+strconv.Itoa(r.dumps+1))
		if o.file, err = create(path); !errors.Is(err, fs.ErrExist) {
			break // else it is of an earlier run, or another process's
		}
	}
	if err != nil {
		return "", err
	}
	r.dumps++
	_, _, at := r.preamble(&o)
	at.append(r.arena, &o)
	r.putObjects(&o, now.Clock)
	if err = o.window(s); err == nil {
		err = o.end(now, 0)
	} else {
		o.file.close()
	}
	if err != nil {
		o.file.remove()
		return "", err
	}
	return path, nil
}

// empty returns an error that says why there are no events in a window, nil if there are some.
func empty(s *format.Snapshot) error {
	for i := range s.Chunks {
		if s.Chunks[i].Events > 0 {
			return nil
		}
	}
	if s.Before > 0 {
		return fmt.Errorf("%w: the program overwrote it while it was being read; larger buffers hold more", fault.ErrEmptyWindow)
	}
	return fmt.Errorf("%w: no function that is recorded has been called", fault.ErrEmptyWindow)
}

// closeRing ends a recording that nothing has ended before its time.
//
// The window ends before sites are switched off, which happens to one after the other.
func (r *Recorder) closeRing() error {
	if err := r.intact(); err != nil {
		r.fail(err)
		return nil
	}
	end := pair(r.rt)
	r.rt.Stop()
	r.closed = true
	if !r.config.DumpAtExit {
		r.out.file.remove()
		r.arena.remove()
		return r.out.file.close()
	}
	s, err := r.window(end.Clock)
	if err != nil {
		return err
	}
	r.appendOrigins()
	r.types.append(r.arena, &r.out)
	r.putObjects(&r.out, end.Clock)
	if err := r.out.window(s); err != nil {
		return err
	}
	return r.end(end, 0)
}

// window returns what the ring holds, without events after the clock until. The program
// overwrites it meanwhile: what is gone before its turn comes, oldest first, is
// missing at the window's beginning.
func (r *Recorder) window(until uint64) (*format.Snapshot, error) {
	if err := r.intact(); err != nil {
		return nil, err
	}
	s, err := format.ReadArena(bytes.NewReader(r.arena.mem), int64(len(r.arena.mem)), until)
	if err != nil {
		return nil, fmt.Errorf("read the buffers: %w", err)
	}
	if r.config.Window > 0 {
		s.Trim(ticks(r.rt, r.config.Window, r.start))
	}
	size := int64(0)
	for i := range s.Chunks {
		size += int64(len(s.Chunks[i].Block))
	}
	if err := r.affordable(size); err != nil {
		return nil, err
	}
	return s, nil
}

// window writes what is in s.
func (o *output) window(s *format.Snapshot) error {
	if s.Before > 0 {
		o.block(format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{{Key: format.MetaFrom, Value: strconv.FormatUint(s.Before, 10)}}))
	}
	for i := range s.Chunks {
		c := &s.Chunks[i]
		o.buf = append(o.buf, c.Block...)
		o.pending.events += c.Events
		o.pending.lost += c.Lost
		if len(o.buf) >= batchSize {
			if err := o.write(); err != nil {
				return err
			}
		}
	}
	return o.write()
}
