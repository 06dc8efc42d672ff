package endtoend

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/tracefile"
)

var budgets = flag.Bool("budgets", false, "look for all calls that took long in recordings with a budget, and count calls (downloads modules, takes minutes)")

// leastLong is how long a call takes at least that is recorded unless its function is counted only.
const leastLong = 100 * time.Microsecond

// TestBudgetLong checks functions that are called millions of times: each call is counted, and each
// call that took long is in the recording. Calls of functions that are counted only may be missing,
// which the report says. Functions whose calls run a loop of few rounds become counted only, others
// do not.
func TestBudgetLong(t *testing.T) {
	if !*budgets {
		t.Skip("not asked for: make test-budget")
	}
	for _, tt := range []struct {
		name, budget, rounds string
		flags                []string
		level                tracefile.Level // at which long calls are made
	}{
		{"Tiny", "10%", "20", nil, tracefile.CountedOnly},
		{"TinyLittle", "3%", "20", nil, tracefile.CountedOnly},
		{"Short", "10%", "500", nil, tracefile.Counted},
		{"ShortLittle", "3%", "2000", nil, tracefile.Counted},
		{"Values", "10%", "1000", []string{"--args"}, tracefile.Unvalued},
		{"Some", "10%", "5000", nil, tracefile.Full},
	} {
		t.Run(tt.name, func(t *testing.T) {
			prog := instrument(t, "budget", append([]string{"--all", "--exclude", "main.spin"}, tt.flags...)...)
			trace := filepath.Join(t.TempDir(), "budget.wmt")
			cmd := exec.Command(prog, "5", tt.rounds)
			cmd.Env = append(os.Environ(), "WAYMARK=record,budget="+tt.budget+",o="+trace)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || stderr.Len() > 0 {
				t.Fatalf("%v\n%s", err, stderr.Bytes())
			}
			f := open(t, trace)
			defer f.Close()
			known, levels := readKnown(t, out), levelsOf(f)
			marked := compareCalls(t, tool(t), trace, known)
			recorded := make(map[string][]interval)
			for _, c := range longCalls(t, f, leastLong/10) {
				recorded[c.function] = append(recorded[c.function], c.interval)
			}
			made := 0 // at the level
			for _, k := range known {
				m := compareKnown(t, k, recorded[k.function], levels[k.function])
				if m[tracefile.CountedOnly] > 0 && !marked[k.function] {
					t.Errorf("%s is counted only at times, and the report doesn't say so", k.function)
				}
				made += m[tt.level]
				t.Logf("%s: %d calls, of these known to take long, by level: %v", k.function, k.calls, m)
			}
			if made < 20 {
				t.Errorf("%d long calls were made at the level %q: it was not tested", made, tt.level)
			}
		})
	}
}

// compareKnown looks for the known calls of a function in the recorded ones, and returns how many
// were made at each level. Those of a function that is counted only may be missing.
func compareKnown(t *testing.T, k *knownFunction, recorded []interval, levels []levelChange) map[tracefile.Level]int {
	t.Helper()
	slices.SortFunc(recorded, func(a, b interval) int { return cmp.Compare(a.end, b.end) })
	made, missing := make(map[tracefile.Level]int), 0
	for _, s := range k.long {
		if s.duration() < leastLong {
			continue
		}
		lowest, level := levelsAt(levels, s.begin)
		made[level]++
		i := slices.IndexFunc(recorded, func(r interval) bool { return s.in(r) })
		switch {
		case i >= 0:
			recorded = recorded[i+1:] // earlier ones are no known calls
		case lowest == tracefile.CountedOnly:
		default:
			if missing++; missing <= 3 {
				t.Errorf("%s: a call of %v, at %v, level %q, is not in the recording", k.function, s.duration(), time.Unix(0, s.begin), level)
			}
		}
	}
	if missing > 0 {
		t.Errorf("%s: %d of %d known calls are missing in the recording", k.function, missing, len(k.long))
	}
	return made
}

// A levelChange gives a function a level.
type levelChange struct {
	at    int64 // ns since 1970
	level tracefile.Level
}

// levelsOf returns the changes of functions' levels, by name, in the order of time.
func levelsOf(f *tracefile.File) map[string][]levelChange {
	start, levels := f.Info().Start.UnixNano(), make(map[string][]levelChange)
	for _, d := range f.Demotions() {
		fn, _ := f.Func(d.Func)
		levels[fn.Name] = append(levels[fn.Name], levelChange{start + f.Nanos(d.Clock), d.Level})
	}
	return levels
}

// settling is how long it may take until a change is in effect for all functions, on a machine that
// is busy.
const settling = int64(10 * time.Millisecond)

// levelsAt returns a function's level at a time, and the lowest one shortly before and after it.
func levelsAt(changes []levelChange, at int64) (lowest, level tracefile.Level) {
	for _, c := range changes {
		if c.at < at-settling {
			lowest = c.level
		} else if c.at <= at+settling {
			lowest = max(lowest, c.level)
		}
		if c.at <= at {
			level = c.level
		}
	}
	return lowest, level
}

// An interval is a part of time, in ns since 1970.
type interval struct{ begin, end int64 }

func (s interval) duration() time.Duration { return time.Duration(s.end - s.begin) }

// The beginning of a demoted function's call is known to a tick of the recorder. The recording's
// clock and the program's clock differ by little.
const (
	tick = int64(200 * time.Microsecond)
	skew = int64(30 * time.Microsecond)
)

// in reports whether a recorded call is the one of which the program knows s: it ends later, and begins
// before or not much later. Calls of a function don't overlap. A busy machine may make them much longer.
func (s interval) in(r interval) bool {
	return r.end >= s.end-skew && r.begin <= s.begin+min(tick, int64(s.duration()))
}

// A knownFunction is what the program knows of one of its functions.
type knownFunction struct {
	function string
	calls    uint64
	long     []interval
}

func readKnown(t *testing.T, out []byte) (list []*knownFunction) {
	t.Helper()
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if words[0] == "calls" {
			k := &knownFunction{function: "main." + words[1]}
			fmt.Sscan(words[2], &k.calls)
			list = append(list, k)
			continue
		}
		var s interval
		if n, err := fmt.Sscan(words[2]+" "+words[3], &s.begin, &s.end); n != 2 {
			t.Fatalf("%q: %v", line, err)
		}
		last := list[len(list)-1]
		last.long = append(last.long, s)
	}
	for _, k := range list {
		if len(k.long) == 0 {
			t.Errorf("%s: no call took long", k.function)
		}
	}
	return list
}

// compareCalls compares the counts of a report with those that the program knows. It returns the
// functions whose calls are not all recorded, according to the report.
func compareCalls(t *testing.T, waymark, trace string, known []*knownFunction) map[string]bool {
	t.Helper()
	var report countReport
	if err := json.Unmarshal(command(t, ".", nil, waymark, "report", "--format", "json", trace), &report); err != nil {
		t.Fatal(err)
	}
	calls, demoted := make(map[string]uint64), make(map[string]bool)
	for _, f := range report.Functions {
		calls[f.Name] = f.Calls
		if f.Recorded != nil && *f.Recorded < f.Calls {
			demoted[f.Name] = true
		}
	}
	for _, k := range known {
		if calls[k.function] != k.calls {
			t.Errorf("%s: the program made %d calls, %d are reported", k.function, k.calls, calls[k.function])
		}
	}
	return demoted
}

// A longCall is a recorded call.
type longCall struct {
	function string // its name
	site     uint32
	interval
}

// longCalls returns the recorded calls that took at least so long and have ended.
func longCalls(t *testing.T, f *tracefile.File, least time.Duration) []longCall {
	t.Helper()
	names := make(map[uint32]string)
	f.Funcs(func(id uint32, fn tracefile.Func) bool {
		names[id] = fn.Name
		return true
	})
	type frame struct {
		site, token uint32
		begin       int64
	}
	start := f.Info().Start.UnixNano()
	stacks := make(map[uint64][]frame)
	var list []longCall
	add := func(site uint32, begin, end int64) {
		if end-begin >= int64(least) {
			list = append(list, longCall{names[site], site, interval{start + begin, start + end}})
		}
	}
	// leave ends the calls of a goroutine at a depth or below: by an exit or, unseen, by a panic.
	leave := func(goroutine uint64, token uint32, now int64) {
		stack := stacks[goroutine]
		for n := len(stack) - 1; n >= 0 && stack[n].token >= token; n-- {
			add(stack[n].site, stack[n].begin, now)
			stack = stack[:n]
		}
		stacks[goroutine] = stack
	}
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		now := f.Nanos(ev.Clock)
		switch ev.Kind {
		case tracefile.Enter:
			leave(ev.Goroutine, ev.Token, now)
			stacks[ev.Goroutine] = append(stacks[ev.Goroutine], frame{ev.Site, ev.Token, now})
		case tracefile.Exit:
			leave(ev.Goroutine, ev.Token, now)
		case tracefile.Long:
			add(ev.Site, f.Nanos(ev.Begin()), now)
		}
	}
	if err := events.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
