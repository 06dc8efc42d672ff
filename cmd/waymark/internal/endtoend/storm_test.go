package endtoend

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/tracefile"
)

// Goroutines that panic, recover, exit, hand over and recurse, all at once: every
// call is recorded, ends, and has its time.
func TestStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range []struct {
		name       string
		flags      []string
		goroutines string
		env        string
		settings   string // of WAYMARK, besides record
	}{
		{name: "plain", goroutines: "500"},
		{name: "one P", goroutines: "50", env: "GOMAXPROCS=1"},
		{name: "more Ps than CPUs", goroutines: "500", env: "GOMAXPROCS=100"},
		{name: "small buffers", goroutines: "500", env: "GOMAXPROCS=24", settings: ",buffers=2097152"},
		{name: "waiting", goroutines: "500", settings: ",waiting"},
		{name: "waiting and small buffers", goroutines: "500", env: "GOMAXPROCS=24", settings: ",waiting,buffers=2097152"},
		{name: "ring", goroutines: "50", settings: ",overflow=ring,dump-at-exit"},
		{name: "race", flags: []string{"-race"}, goroutines: "50", settings: ",waiting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			prog := instrument(t, "storm", append([]string{"--all", "--closures"}, c.flags...)...)
			storm(t, exec.Command(prog, c.goroutines), c.settings, c.env)
		})
	}
}

// storm runs the program and checks its recording. It returns the name of its clock.
func storm(t *testing.T, cmd *exec.Cmd, settings string, env ...string) (clock string) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "storm.wmt")
	cmd.Env = append(os.Environ(), "WAYMARK=record,o="+trace+settings)
	cmd.Env = append(cmd.Env, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return validate(t, trace, out)
}

// validate checks a complete recording against the counts that the program
// printed, and returns the name of its clock.
func validate(t *testing.T, trace string, printed []byte) (clock string) {
	t.Helper()
	f, err := tracefile.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	clock = f.Info().Clock
	names := make(map[uint32]string)
	f.Funcs(func(id uint32, s tracefile.Func) bool {
		names[id] = s.Name
		return true
	})
	calls := make(map[string]uint64)
	var end uint64
	last := make(map[uint64]uint64)
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); end = ev.Clock {
		if ev.Clock < last[ev.Goroutine] || ev.Clock < end {
			t.Fatalf("goroutine %d: event at %d after one at %d", ev.Goroutine, ev.Clock, end)
		}
		last[ev.Goroutine] = ev.Clock
		if ev.Kind == tracefile.Enter {
			calls[names[ev.Site]]++
		}
	}
	b := calltree.New(calltree.Options{Goroutines: true})
	events = f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		b.Add(&ev)
	}
	r := b.Close(end)
	if r.Problems != (calltree.Problems{}) {
		t.Errorf("problems: %+v", r.Problems)
	}
	if info := f.Info(); !info.Complete || info.Lost > 0 || info.Damaged > 0 {
		t.Errorf("info: %+v", info)
	}
	for _, g := range r.Goroutines {
		if g.Self != g.Total {
			t.Errorf("goroutine %d: self times add up to %d, totals of its roots to %d", g.ID, g.Self, g.Total)
		}
		if !g.Ended && g.ID != 1 {
			t.Errorf("goroutine %d has not ended", g.ID)
		}
	}
	for _, row := range r.Rows {
		if row.Off != nil && (row.Off.Total.Sum() > row.Total || row.Off.Self.Sum() > row.Self) {
			t.Errorf("%s did not run for %d ticks of %d, itself %d of %d", names[row.Key], row.Off.Total.Sum(), row.Total, row.Off.Self.Sum(), row.Self)
		}
		if row.Calls != calls[names[row.Key]] || row.Open != 0 && names[row.Key] != "main.main" {
			t.Errorf("%s: %d calls, %d of them open; %d enters", names[row.Key], row.Calls, row.Open, calls[names[row.Key]])
		}
	}
	lines := bytes.Split(bytes.TrimSpace(printed), []byte("\n"))
	if len(lines) < 5 {
		t.Fatalf("the program printed %q", printed)
	}
	for _, line := range lines {
		var name string
		var n uint64
		if _, err := fmt.Sscan(string(line), &name, &n); err != nil {
			t.Fatal(err)
		}
		if calls[name] != n {
			t.Errorf("%s: called %d times, recorded %d", name, n, calls[name])
		}
	}
	return clock
}
