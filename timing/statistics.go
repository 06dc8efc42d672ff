package timing

import (
	"encoding/json"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/histogram"
)

// Statistics is a Handler that adds up the durations of each timer. NewStatistics makes a
// Statistics.
type Statistics struct {
	records atomic.Pointer[[]atomic.Pointer[record]] // by the timer's index
	growing sync.Mutex                               // guards changes of records

	mu     sync.Mutex // guards what follows; handlers never wait for it
	resets uint64     // number of calls of Reset
	since  time.Time  // when the latest Reset was, or NewStatistics
}

// A record is what is known of a timer. It is spread over cells, so that goroutines do not wait for
// each other when they use one timer at the same time.
type record struct {
	timer *Timer
	cells [shardCount]atomic.Pointer[cell] // made when they are needed
}

type cell struct {
	mu     sync.Mutex
	sum    moments
	strays uint64
	times  histogram.Counter
}

// NewStatistics returns a Statistics without measurements. Set.AddHandler adds it to a set, or to
// several sets: the timers of all sets that have one name share a row.
func NewStatistics() *Statistics { return &Statistics{since: time.Now()} }

// Handle implements Handler.
func (s *Statistics) Handle(e Event) {
	r := s.record(e.Timer)
	if e.Kind != Exit && e.Kind != Stray {
		return // the timer counts its open measurements
	}
	c := r.cell(spread(e.Goroutine))
	c.mu.Lock()
	if e.Kind == Exit {
		c.sum.add(e.Duration)
		c.times.Add(e.Duration)
	} else {
		c.strays++
	}
	c.mu.Unlock()
}

func (s *Statistics) record(t *Timer) *record {
	if list := s.records.Load(); list != nil && t.index < len(*list) {
		if r := (*list)[t.index].Load(); r != nil {
			return r
		}
	}
	s.growing.Lock()
	defer s.growing.Unlock()
	list := s.records.Load()
	if list == nil || t.index >= len(*list) {
		longer := make([]atomic.Pointer[record], 2*t.index+16)
		if list != nil {
			for i := range *list {
				longer[i].Store((*list)[i].Load())
			}
		}
		list = &longer
		s.records.Store(list)
	}
	r := (*list)[t.index].Load()
	if r == nil {
		r = &record{timer: t}
		(*list)[t.index].Store(r)
	}
	return r
}

func (r *record) cell(i int) *cell {
	if c := r.cells[i].Load(); c != nil {
		return c
	}
	r.cells[i].CompareAndSwap(nil, new(cell))
	return r.cells[i].Load()
}

// Snapshot returns what was added up since the Statistics was made, or since Reset. Timers go on
// meanwhile. The numbers of a timer fit each other if nothing happens to the timer during Snapshot.
// No measurement waits for longer than it takes to copy a histogram.
func (s *Statistics) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := &Snapshot{From: s.since, To: time.Now(), resets: s.resets}
	rows := make(map[string]*Row)
	for _, r := range s.all() {
		row := rows[r.timer.name]
		if row == nil {
			row = &Row{Name: r.timer.name, Description: r.timer.description}
			rows[r.timer.name] = row
		}
		r.addTo(row)
	}
	for _, row := range rows {
		row.fill(nanoseconds(row.sum.smallest), nanoseconds(row.sum.greatest))
		snap.Timers = append(snap.Timers, *row)
	}
	sort.Slice(snap.Timers, func(i, j int) bool { return snap.Timers[i].Name < snap.Timers[j].Name })
	return snap
}

// Reset sets all sums to 0. A measurement that is in progress counts as a whole when it ends.
func (s *Statistics) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resets++
	s.since = time.Now()
	for _, r := range s.all() {
		for i := range r.cells {
			if c := r.cells[i].Load(); c != nil {
				c.mu.Lock()
				c.sum, c.strays = moments{}, 0
				c.times.Reset()
				c.mu.Unlock()
			}
		}
	}
}

// String returns a snapshot as JSON. So a Statistics is a variable of package expvar:
//
//	expvar.Publish("timers", statistics)
func (s *Statistics) String() string {
	text, err := json.Marshal(s.Snapshot())
	if err != nil {
		return "null" // can't happen: a snapshot has numbers and texts only
	}
	return string(text)
}

// all returns the records of all timers that have had events.
func (s *Statistics) all() (list []*record) {
	if records := s.records.Load(); records != nil {
		for i := range *records {
			if r := (*records)[i].Load(); r != nil {
				list = append(list, r)
			}
		}
	}
	return list
}

// addTo adds what is known of the timer to a row.
func (r *record) addTo(row *Row) {
	row.Open += r.timer.Open()
	var times histogram.Counter
	for i := range r.cells {
		if c := r.cells[i].Load(); c != nil {
			c.mu.Lock()
			row.sum.merge(c.sum)
			row.Strays += c.strays
			c.times.AddTo(&times)
			c.mu.Unlock()
		}
	}
	row.Histogram = row.Histogram.Merge(times.Histogram())
}
