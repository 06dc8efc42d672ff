package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// A recording is what there is in the recording of a run.
type recording struct {
	bytes     int64
	dropped   uint64
	stopped   string // why it ended early
	functions map[string]function
}

// A function is what is recorded of a function's calls.
type function struct {
	Name, File string
	Line       int
	Calls      uint64  `json:"calls"`
	Recorded   *uint64 `json:"recorded"` // nil: all of them
	Demoted    bool    `json:"demoted"`
	Self       int64   `json:"self_ns"`
	Estimate   struct {
		Calls []uint64 `json:"calls"` // the least and the most
	} `json:"estimate"`
}

func (f function) recorded() uint64 {
	if f.Recorded != nil {
		return *f.Recorded
	}
	return f.Calls
}

// read reads a recording.
func (b *bench) read(trace string) (*recording, error) {
	var info struct {
		Bytes   int64
		Dropped uint64
		Stopped string
	}
	if err := b.json(&info, "info", "--format", "json", trace); err != nil {
		return nil, err
	}
	r := &recording{bytes: info.Bytes, dropped: info.Dropped, stopped: info.Stopped}
	var report struct{ Functions []function }
	if err := b.json(&report, "report", "--format", "json", trace); err != nil {
		return nil, err
	}
	r.functions = make(map[string]function)
	for _, f := range report.Functions {
		// Closures of one line have one name each; what a generic function is made to is one function.
		key := fmt.Sprintf("%s %s:%d", f.Name, f.File, f.Line)
		if o, ok := r.functions[key]; ok {
			n := f.recorded() + o.recorded()
			if e, g := f.Estimate.Calls, o.Estimate.Calls; len(e) == 2 || len(g) == 2 {
				if len(e) != 2 {
					e = []uint64{f.Calls, f.Calls}
				}
				if len(g) != 2 {
					g = []uint64{o.Calls, o.Calls}
				}
				f.Estimate.Calls = []uint64{e[0] + g[0], e[1] + g[1]}
			}
			f.Calls, f.Recorded, f.Demoted, f.Self = f.Calls+o.Calls, &n, f.Demoted || o.Demoted, f.Self+o.Self
		}
		r.functions[key] = f
	}
	if len(r.functions) == 0 {
		return nil, fmt.Errorf("waymark report %s: no calls: nothing was instrumented", trace)
	}
	return r, nil
}

// json runs waymark and decodes what it prints.
func (b *bench) json(v any, args ...string) error {
	out, err := exec.CommandContext(b.ctx, b.waymark, args...).Output()
	if err != nil {
		var status *exec.ExitError
		if errors.As(err, &status) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(status.Stderr)))
		}
		return fmt.Errorf("waymark %s: %w", strings.Join(args, " "), err)
	}
	if err := json.Unmarshal(out, v); err != nil {
		return fmt.Errorf("waymark %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// sum returns the calls made, those of them that are recorded, and the functions some of whose calls
// are only counted.
func (r *recording) sum() (calls, recorded uint64, demoted int) {
	for _, f := range r.functions {
		calls += f.Calls
		recorded += f.recorded()
		if f.Demoted || f.recorded() < f.Calls {
			demoted++
		}
	}
	return calls, recorded, demoted
}

// A truth is how often functions were called in runs that count all calls; -1: not as often in all of them.
type truth map[string]int64

// add takes the counts of a run.
func (known truth) add(r *recording) {
	for key, f := range r.functions {
		switch n, ok := known[key]; {
		case !ok:
			known[key] = int64(f.Calls)
		case n != int64(f.Calls):
			known[key] = -1
		}
	}
}

// judge returns how many numbers of calls are estimated in a run, how many of these intervals hold the true one, and
// how many of the other numbers are not the true ones.
func (known truth) judge(r *recording) (estimated, within, differ int) {
	for key, f := range r.functions {
		n := known[key]
		if n <= 0 { // or only called here
			continue
		}
		switch e := f.Estimate.Calls; {
		case len(e) != 2:
			if f.Calls != uint64(n) {
				differ++
			}
			continue
		case e[0] <= uint64(n) && uint64(n) <= e[1]:
			within++
		}
		estimated++
	}
	return estimated, within, differ
}

// share returns the part of the program's time that lies in recorded calls. All is a recording of
// the same job without a budget: it says how much time each function took itself. Of that time the
// part counts that the function's recorded calls are of its calls. As a demoted function's long
// calls are recorded, and as recording makes short calls longer, this is rather too little.
func (r *recording) share(all *recording) float64 {
	var in, sum float64
	for key, f := range all.functions {
		sum += float64(f.Self)
		if o, ok := r.functions[key]; ok && o.Calls > 0 {
			in += float64(f.Self) * float64(o.recorded()) / float64(o.Calls)
		}
	}
	if sum == 0 {
		return 0
	}
	return in / sum
}
