package recorded

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/histogram"
)

// durations are those of all calls, by the function's name.
type durations struct {
	Functions map[string]*distribution
}

// A distribution is the durations of a function's calls.
type distribution struct {
	Histogram []byte // JSON of a histogram.Histogram
	Min, Max  time.Duration

	counter *histogram.Counter
}

// progressStep is how many events lie between two reports of progress.
const progressStep = 1 << 18

// readDurations reads all calls.
func (r *Recordings) readDurations(progress func(read, all uint64)) (*durations, error) {
	d := &durations{make(map[string]*distribution)}
	tell := r.telling(progress)
	none := func(*calltree.Call) {}
	var filter recording.Filter
	_, err := filter.Follow(r.set, func(p *recording.Process) recording.Follower {
		sites := make(map[uint32]*distribution)
		return recording.Follower{Enter: none, Done: tell, Call: func(c *calltree.Call) {
			if c.Flags&calltree.Info != 0 {
				return
			}
			f := sites[c.Site]
			if f == nil {
				fn, _ := p.File.Func(c.Site)
				if f = d.Functions[fn.Name]; f == nil {
					f = &distribution{Min: 1<<63 - 1, counter: new(histogram.Counter)}
					d.Functions[fn.Name] = f
				}
				sites[c.Site] = f
			}
			took := time.Duration(p.Scale.Nanoseconds(c.End - c.Began))
			f.counter.Add(took)
			f.Min, f.Max = min(f.Min, took), max(f.Max, took)
		}}
	})
	if len(d.Functions) == 0 && err != nil { // it is the profile's business to say what is damaged
		return nil, err
	}
	for _, f := range d.Functions {
		if f.Histogram, err = json.Marshal(f.counter.Histogram()); err != nil {
			return nil, err
		}
		f.counter = nil
	}
	return d, nil
}

// telling returns a Done that reports the progress of a reading in the order of time.
func (r *Recordings) telling(progress func(read, all uint64)) func(clock uint64) bool {
	var all, read uint64
	for _, file := range r.set.Processes {
		all += file.Info().Events
	}
	return func(uint64) bool {
		if read++; read%progressStep == 0 {
			progress(min(read, all), all)
		}
		return false
	}
}

// histogram answers with the distribution of a function's durations.
func (r *Recordings) histogram(req *http.Request) (any, error) {
	d, err := r.durations.Get()
	if err != nil {
		return nil, err
	}
	name := req.URL.Query().Get("name")
	f := d.Functions[name]
	if f == nil {
		return nil, ui.BadRequest("no call of a function %s is recorded with a duration", name)
	}
	var h histogram.Histogram
	if err := json.Unmarshal(f.Histogram, &h); err != nil {
		return nil, err
	}
	classes := [][3]int64{}
	h.Each(func(from, below time.Duration, n uint64) {
		classes = append(classes, [3]int64{int64(from), int64(below), int64(n)})
	})
	return struct {
		Calls uint64        `json:"calls"`
		Min   time.Duration `json:"min_ns"`
		Max   time.Duration `json:"max_ns"`
		histogram.Quantiles
		Classes [][3]int64 `json:"classes"` // from, below, calls
	}{h.Count(), f.Min, f.Max, h.Quantiles(f.Min, f.Max), classes}, nil
}
