package calltree

import (
	"cmp"
	"slices"

	"github.com/waymark-go/waymark/tracefile"
)

// maxUnfolded bounds the memory of an Unfolder, 40 MB. Of a recording with more long calls all stay
// Long events.
const maxUnfolded = 1 << 20

// unfolded is the Value of enters that an Unfolder makes. Those of files have 0.
const unfolded = 1

// An Unfolder makes an enter and an exit of each Long event. So where calls are told in order,
// those of Long events are around the calls that they made. An Unfolder leaves alone the calls
// that began before its range.
type Unfolder struct {
	from  uint64
	begin map[uint64][]tracefile.Event // enters to come of each goroutine, by their clocks
	n     int                          // of them at first
	calls uint64                       // that have been unfolded

	goroutine uint64 // of the latest event
	next      []tracefile.Event
}

// NewUnfolder returns an Unfolder of the file's events in a range, nil if there is nothing to
// unfold. It reads the range once. Errors are the operating system's.
func NewUnfolder(file *tracefile.File, r tracefile.Range) (*Unfolder, error) {
	if !slices.ContainsFunc(file.Demotions(), func(d tracefile.Demotion) bool { return d.Level >= tracefile.Counted }) {
		return nil, nil
	}
	u := &Unfolder{from: r.From, begin: make(map[uint64][]tracefile.Event)}
	events := file.EventsIn(r)
	for ev := (tracefile.Event{}); events.Next(&ev); {
		if !u.unfolds(&ev) {
			continue
		}
		if u.n++; u.n > maxUnfolded {
			return nil, nil
		}
		enter := ev
		enter.Kind, enter.Clock, enter.Value = tracefile.Enter, ev.Begin(), unfolded
		u.begin[ev.Goroutine] = append(u.begin[ev.Goroutine], enter)
	}
	for _, list := range u.begin {
		slices.SortStableFunc(list, func(a, b tracefile.Event) int {
			return cmp.Or(cmp.Compare(a.Clock, b.Clock), cmp.Compare(a.Token, b.Token))
		})
	}
	return u, events.Err()
}

// unfolds reports whether there is an enter for the event.
func (u *Unfolder) unfolds(ev *tracefile.Event) bool {
	return ev.Kind == tracefile.Long && ev.Begin() >= u.from
}

// Add calls add with the next event of the range, and with the enters before it. A nil Unfolder
// just calls add.
func (u *Unfolder) Add(ev *tracefile.Event, add func(*tracefile.Event)) {
	if u == nil || ev.Kind == tracefile.Go {
		add(ev)
		return
	}
	if ev.Goroutine != u.goroutine {
		if len(u.next) > 0 {
			u.begin[u.goroutine] = u.next
		} else {
			delete(u.begin, u.goroutine)
		}
		u.goroutine, u.next = ev.Goroutine, u.begin[ev.Goroutine]
	}
	for len(u.next) > 0 && u.next[0].Clock <= ev.Clock {
		enter := &u.next[0]
		if ev.Kind == tracefile.Exit && ev.Token >= enter.Token || ev.Kind == tracefile.Enter && ev.Token < enter.Token {
			// A call that began before this one ends, or one that is further out begins: the call began
			// later. Clocks of some machines are coarse.
			enter.Clock = ev.Clock
			break
		}
		u.next = u.next[1:]
		add(enter)
	}
	if u.unfolds(ev) {
		u.calls++
		exit := *ev
		exit.Kind, exit.Value = tracefile.Exit, 0
		ev = &exit
	}
	add(ev)
}

// Calls returns the number of Long events that have been unfolded.
func (u *Unfolder) Calls() uint64 {
	if u == nil {
		return 0
	}
	return u.calls
}

// UnfoldedEvents are a Source: the events of a file in a range, with Long events unfolded.
type UnfoldedEvents struct {
	*tracefile.Events
	u    *Unfolder
	list []tracefile.Event // the next ones
}

// Unfold returns the events of a file in a range, with Long events unfolded.
func Unfold(file *tracefile.File, r tracefile.Range) (*UnfoldedEvents, error) {
	u, err := NewUnfolder(file, r)
	return &UnfoldedEvents{Events: file.EventsIn(r), u: u}, err
}

// Next returns the next event, as tracefile.Events does.
func (s *UnfoldedEvents) Next(ev *tracefile.Event) bool {
	if s.u == nil {
		return s.Events.Next(ev)
	}
	if len(s.list) == 0 {
		if !s.Events.Next(ev) {
			return false
		}
		s.list = s.list[:0]
		s.u.Add(ev, func(ev *tracefile.Event) { s.list = append(s.list, *ev) })
	}
	*ev = s.list[0]
	s.list = s.list[1:]
	return true
}
