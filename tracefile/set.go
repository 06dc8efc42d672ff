package tracefile

import (
	"cmp"
	"slices"
	"time"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Set is what several files hold together: the recordings of the processes of
// one program. Ids of goroutines, sites and streams, and clocks, mean something
// within one process only.
type Set struct {
	// Processes are in the order in which their recordings began. The recording of
	// a process is one File, also if it is in several parts.
	Processes []*File

	// Repeated are files that hold the same as another one, and are not counted.
	Repeated []*File

	start time.Time // of the first recording; the zero Time if no file tells
}

// Join makes a Set of at least one file. Files of one process, which are parts of its
// recording, become one File, see Parts. Of a file that is there twice, or has a
// copy, the one with more events counts. The files stay the caller's to close.
//
// The error says in what the files differ if they are not of one program: in its
// name, or in its functions. A process that ended before all packages were
// initialised, and a damaged file, lack functions of others, which is no difference.
func Join(files []*File) (*Set, error) {
	if err := sameProgram(files); err != nil {
		return nil, err
	}
	s := new(Set)
	recordings := make(map[string][]*File) // parts by nonce
	var order []string
	for _, f := range files {
		nonce := f.meta[format.MetaNonce]
		if nonce == "" {
			s.Processes = append(s.Processes, f)
			continue
		}
		parts, ok := recordings[nonce]
		if !ok {
			order = append(order, nonce)
		}
		if i := slices.IndexFunc(parts, func(p *File) bool { return p.number() == f.number() }); i < 0 {
			parts = append(parts, f)
		} else {
			if f.Info().Events > parts[i].Info().Events {
				parts[i], f = f, parts[i]
			}
			s.Repeated = append(s.Repeated, f)
		}
		recordings[nonce] = parts
	}
	for _, nonce := range order {
		parts := recordings[nonce]
		slices.SortFunc(parts, func(a, b *File) int { return cmp.Compare(a.number(), b.number()) })
		s.Processes = append(s.Processes, joinParts(parts))
	}
	slices.SortStableFunc(s.Processes, func(a, b *File) int { return a.start().Compare(b.start()) })
	for _, p := range s.Processes {
		if s.start.IsZero() {
			s.start = p.start()
		}
	}
	return s, nil
}

// Since returns the time from the beginning of the first process's recording to
// that of p's. It is 0 for a file that has lost the time.
func (s *Set) Since(p *File) time.Duration {
	if t := p.start(); !t.IsZero() {
		return t.Sub(s.start)
	}
	return 0
}

// Duration returns the time from the beginning of the first recording to the end of
// the last.
func (s *Set) Duration() time.Duration {
	var d time.Duration
	for _, p := range s.Processes {
		d = max(d, s.Since(p)+p.Info().Duration)
	}
	return d
}

// Events begins to read the events of all processes, in the order of wall-clock time.
func (s *Set) Events() *SetEvents { return s.EventsIn(make([]Range, len(s.Processes))) }

// EventsIn is Events for those in a range of each process's time, see File.EventsIn.
func (s *Set) EventsIn(ranges []Range) *SetEvents {
	e := &SetEvents{set: s, current: -1, heads: make([]Event, len(s.Processes))}
	for i, p := range s.Processes {
		e.sources = append(e.sources, p.EventsIn(ranges[i]))
		e.since = append(e.since, min(int64(s.Since(p)), epoch/4))
		e.times = append(e.times, e.fill(i))
	}
	e.tree = newTree(e.times)
	return e
}

// SetEvents reads the events of a Set, in the manner of Events.
type SetEvents struct {
	set     *Set
	sources []*Events // of the processes
	since   []int64   // ns from the set's beginning to the process's
	heads   []Event   // the next one of each process
	times   []uint64  // of heads
	tree    tree      // of times
	current int       // the process whose event was given last; -1 at first
	err     error
}

// Next reads the next event into ev and reports whether there was one; if not, Err
// tells whether it was because of an error. ev.Data is valid until the next call.
// ev.Clock is in the ticks of the event's Process.
func (e *SetEvents) Next(ev *Event) bool {
	if e.current >= 0 {
		e.times[e.current] = e.fill(e.current)
		e.tree.replace(e.times[e.current])
	}
	w := e.tree.winner()
	e.current = int(w.stream)
	if w.clock == never {
		return false
	}
	*ev = e.heads[e.current]
	return true
}

// Process returns the index in the Set's Processes of the process that the latest
// event is of.
func (e *SetEvents) Process() int { return e.current }

// Ended reports whether there are no more events of the process with the given index.
func (e *SetEvents) Ended(process int) bool { return e.times[process] == never }

// Nanos returns the time of the latest event, in ns since the beginning of the
// Set's first process.
func (e *SetEvents) Nanos() int64 { return int64(e.times[e.current]) - epoch }

// Err returns the first error that ended the reading of a process's events: one of
// the operating system, never damage. The events of the others have been given.
func (e *SetEvents) Err() error { return e.err }

// epoch is added to times, so that an event before the beginning, as clocks that
// disagree may make it, has one above 0.
const epoch = 1 << 62

// fill reads the next event of process i and gives its time, never at the end.
func (e *SetEvents) fill(i int) uint64 {
	if !e.sources[i].Next(&e.heads[i]) {
		if err := e.sources[i].Err(); e.err == nil {
			e.err = err
		}
		return never
	}
	ns := min(max(e.set.Processes[i].Nanos(e.heads[i].Clock), -epoch/4), epoch/4)
	return uint64(epoch + ns + e.since[i])
}
