package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/tracefile"
)

// parts are what the self time of a function is made of, and what it has made.
type parts struct{ Self, Running, Runnable, Waiting, Objects, Bytes int64 }

// waits has calls that wait for channels and locks, are ready without a processor, and make objects.
const waits = "A10 +5 B20 _2 +30 =2,31,10,7 +9 *3,48 b20 +3 B30 _4 +77 =4,78,0,7 +1 *1,16 b30 _2 +4 =2,5,5,7 +6 a10"

// Formats divide self times as the report does.
func TestParts(t *testing.T) {
	parted := func() *tracefile.Set {
		r := made(t, waits)
		r.Waiting, r.Objects = true, true
		return open(t, r.Bytes())
	}
	r := report.New(report.Options{Waiting: true})
	if err := r.Read(parted()); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Write(&b, report.JSON); err != nil {
		t.Fatal(err)
	}
	var reported struct {
		Functions []struct {
			Name     string
			Self     int64 `json:"self_ns"`
			Running  int64 `json:"self_running_ns"`
			Runnable int64 `json:"self_runnable_ns"`
			Waiting  int64 `json:"self_waiting_ns"`
			Objects  int64 `json:"objects"`
			Bytes    int64 `json:"bytes"`
		}
	}
	if err := json.Unmarshal(b.Bytes(), &reported); err != nil {
		t.Fatal(err)
	}
	want := make(map[string]parts)
	for _, f := range reported.Functions {
		p := parts{f.Self, f.Running, f.Runnable, f.Waiting, f.Objects, f.Bytes}
		if p.Running+p.Runnable+p.Waiting != p.Self || p.Waiting == 0 && p.Runnable == 0 {
			t.Errorf("the report has %+v", f)
		}
		want[f.Name] = p
	}
	for _, goroutines := range []bool{false, true} {
		b.Reset()
		if _, err := writePprof(&b, parted(), &recording.Filter{}, Options{Goroutines: goroutines}); err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		index := make(map[string]int)
		for i, s := range p.SampleType {
			index[s.Type] = i
		}
		got := make(map[string]parts)
		for _, s := range p.Sample {
			of := func(measure string) int64 { return s.Value[index[measure]] }
			name := s.Location[0].Line[0].Function.Name
			sum := got[name]
			sum.Self += of("self")
			sum.Running += of("running")
			sum.Runnable += of("runnable")
			sum.Waiting += of("waiting")
			sum.Objects += of("objects")
			sum.Bytes += of("bytes")
			got[name] = sum
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("pprof, goroutines %v (-report +pprof)\n%s", goroutines, diff)
		}
	}
	var whole parts
	for _, p := range want {
		whole.Runnable += p.Runnable
		whole.Waiting += p.Waiting
	}
	_, states := readPerfettoStates(t, written(t, "perfetto", parted(), recording.Filter{}), nil)
	runnable := states["runnable"].total - whole.Runnable
	waiting := states["waiting: channel"].total + states["waiting: lock"].total - whole.Waiting
	if max(runnable, -runnable, waiting, -waiting) > 2 || len(states) != 3 { // the ends of each slice are rounded
		t.Errorf("perfetto: %v, want runnable and waiting as in %+v", states, whole)
	}
	got := make(map[string]parts)
	for line := range strings.Lines(string(written(t, "json", parted(), recording.Filter{}))) {
		var c map[string]any
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		number := func(name string) int64 {
			n, _ := c[name].(float64)
			return int64(n)
		}
		name := c["function"].(string)
		sum := got[name]
		sum.Self += number("self_ns")
		sum.Running += number("self_running_ns")
		sum.Runnable += number("self_runnable_ns")
		sum.Waiting += number("self_waiting_channel_ns") + number("self_waiting_lock_ns")
		sum.Objects, sum.Bytes = want[name].Objects, want[name].Bytes // which json has not
		got[name] = sum
		if number("self_waiting_ns") != number("self_waiting_channel_ns")+number("self_waiting_lock_ns") {
			t.Errorf("reasons don't add up: %s", line)
		}
	}
	for name, w := range want {
		g := got[name]
		for _, d := range []int64{g.Running - w.Running, g.Runnable - w.Runnable, g.Waiting - w.Waiting} {
			if d < -3 || d > 3 { // each call's part is rounded
				t.Errorf("json: %s: %+v, want %+v", name, g, w)
			}
		}
		if g.Self != w.Self {
			t.Errorf("json: %s: %+v, want %+v", name, g, w)
		}
	}
}

// What was not recorded has no place in a profile.
func TestNoParts(t *testing.T) {
	p, err := profile.Parse(bytes.NewReader(written(t, "pprof", record(t, events()), recording.Filter{})))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.SampleType) != 3 {
		t.Errorf("%v; want calls, total and self", p.SampleType)
	}
}
