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
}

func (f function) recorded() uint64 {
	if f.Recorded != nil {
		return *f.Recorded
	}
	return f.Calls
}

// read reads a recording: its size, and if functions is true also its calls.
func (b *bench) read(trace string, functions bool) (*recording, error) {
	var info struct {
		Bytes   int64
		Dropped uint64
		Stopped string
	}
	if err := b.json(&info, "info", "--format", "json", trace); err != nil {
		return nil, err
	}
	r := &recording{bytes: info.Bytes, dropped: info.Dropped, stopped: info.Stopped}
	if !functions {
		return r, nil
	}
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
