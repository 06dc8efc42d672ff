package endtoend

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// expected is what testdata/recordings knows of a recording.
type expected struct {
	Path, Dump  string
	Calls, Open map[string]uint64
	Unmatched   uint64
}

// A program makes any number of recordings, one after the other. Each is complete, and holds its
// own calls only, whatever is open when it begins and ends and whatever became of the one before.
func TestRecordings(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("looks for leaks in /proc")
	}
	builds := [][]string{nil}
	if *long {
		builds = append(builds, []string{"-race"})
	}
	for _, flags := range builds {
		t.Run(strings.Join(append([]string{"plain"}, flags...), ""), func(t *testing.T) {
			prog := instrument(t, "recordings", append([]string{"--include", ".", "--all", "--args", "--results"}, flags...)...)
			run := func(t *testing.T, how string) (stdout, stderr []byte) {
				t.Helper()
				var errs strings.Builder
				cmd := exec.Command(prog, how, t.TempDir())
				// With -race the C library maps 64 MB for each thread that allocates, unless told not to.
				cmd.Env = append(os.Environ(), "GOMAXPROCS=4", "MALLOC_ARENA_MAX=1")
				cmd.Stderr = &errs
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, errs.String())
				}
				return out, []byte(errs.String())
			}
			for _, overflow := range []string{"block", "drop", "ring"} {
				t.Run(overflow, func(t *testing.T) {
					out, stderr := run(t, overflow)
					if len(stderr) > 0 {
						t.Errorf("stderr: %s; want none", stderr)
					}
					all := parseExpected(t, out, 3)
					for _, want := range all {
						checkRecording(t, want.Path, want)
						if overflow == "ring" {
							// The call of Dump is open in the dump, and nothing that came after it
							// is there.
							want.Open["dump"]++
							for _, name := range []string{"end", "check"} {
								want.Calls[name] -= want.lastCalls(name)
								want.Open[name] = 0
							}
							checkRecording(t, want.Dump, want)
						}
					}
				})
			}
			t.Run("fail", func(t *testing.T) {
				out, stderr := run(t, "fail")
				all := parseExpected(t, out, 7)
				for _, i := range []int{0, 2, 4, 6} {
					checkRecording(t, all[i].Path, all[i])
				}
				lines := strings.Split(strings.TrimSpace(string(stderr)), "\n")
				for i, want := range []string{"file too large", "was removed by another program", ".live was cut"} {
					if len(lines) != 3 || !strings.Contains(lines[i], want) || !strings.Contains(lines[i], "recording has stopped") {
						t.Errorf("stderr:\n%s\nwant three lines, number %d with %q", stderr, i+1, want)
					}
				}
				f, err := tracefile.Open(all[1].Path)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if info := f.Info(); info.Stopped != tracefile.StoppedFailed || info.Lost == 0 {
					t.Errorf("of the recording without room: %+v; want one that failed, with lost events", info)
				}
			})
			t.Run("switch", func(t *testing.T) {
				out, stderr := run(t, "switch")
				if len(stderr) > 0 {
					t.Errorf("stderr: %s; want none", stderr)
				}
				checkNumbers(t, parseExpected(t, out, 10))
			})
			t.Run("loop", func(t *testing.T) {
				out, stderr := run(t, "loop")
				var before, after map[string]int64
				lines := strings.SplitN(string(out), "\n", 2)
				if json.Unmarshal([]byte(lines[0]), &before) != nil || json.Unmarshal([]byte(lines[1]), &after) != nil || len(stderr) > 0 {
					t.Fatalf("%s%s", out, stderr)
				}
				race := int64(0) // shadow of the heap, and of each new thread a stack of the C library's
				if flags != nil {
					race = 8<<20 + max(after["Threads"]-before["Threads"], 0)*(16<<20)
				}
				for name, most := range map[string]int64{
					"Descriptors": 0, "Arenas": 0, "Goroutines": 0, "Threads": 2, "Mapped": 1<<20 + race, "Heap": 256 << 10,
					"Other": 4 * 256 << 10, // the runtime takes so much at once, for each P
				} {
					if grown := after[name] - before[name]; grown > most {
						t.Errorf("%s: %d after 20 recordings, %d after 120; want at most %d more", name, before[name], after[name], most)
					}
				}
				if after["Arenas"] != 0 {
					t.Errorf("%d arenas are mapped, want none", after["Arenas"])
				}
			})
		})
	}
}

// lastCalls returns how many calls of a function a recording has after the dump.
func (e *expected) lastCalls(name string) uint64 {
	if name == "end" {
		return 1
	}
	return 0
}

func parseExpected(t *testing.T, printed []byte, n int) (all []expected) {
	t.Helper()
	if err := json.Unmarshal(printed, &all); err != nil || len(all) != n {
		t.Fatalf("%v: the program printed %s; want %d recordings", err, printed, n)
	}
	return all
}

// checkRecording compares a recording with what the program knows of it, event by event and block
// by block.
func checkRecording(t *testing.T, path string, want expected) {
	t.Helper()
	f, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	name := filepath.Base(path)
	if info := f.Info(); !info.Complete || info.Lost > 0 || info.Damaged > 0 || info.Stopped != 0 {
		t.Errorf("%s: %+v; want a complete one", name, info)
	}
	end := uint64(0)
	points := 0
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); end = ev.Clock {
		values, err := value.Decode(ev.Data, f.Type)
		if err != nil {
			t.Fatalf("%s: %v in %x", name, err, ev.Data)
		}
		if site, _ := f.Func(ev.Site); ev.Kind == tracefile.Enter && site.Name == "main.inside" {
			var x, y int
			if _, err := fmt.Sscanf(value.List(values, nil, false), `({X:%d Y:%d}, "text")`, &x, &y); err != nil || x != -y {
				t.Fatalf("%s: %v: inside was called with %s", name, err, value.List(values, nil, false))
			}
			points++
		}
	}
	if uint64(points) != want.Calls["inside"] {
		t.Errorf("%s: %d calls of inside have arguments, want %d", name, points, want.Calls["inside"])
	}
	o := calltree.Options{Goroutines: true}
	one, err := calltree.Read(f.Events(), o, end)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := calltree.ReadFile(f, o, end, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, blocks) {
		t.Errorf("%s: event by event it is %+v, block by block %+v", name, one, blocks)
	}
	calls, open := make(map[string]uint64), make(map[string]uint64)
	for _, row := range one.Rows {
		site, _ := f.Func(row.Key)
		if short := strings.TrimPrefix(site.Name, "main."); want.Calls[short] > 0 {
			calls[short], open[short] = row.Calls, row.Open
		} else {
			t.Errorf("%s: %d calls of %s, want none", name, row.Calls, site.Name)
		}
	}
	for k, n := range want.Calls {
		if n == 0 {
			delete(want.Calls, k)
			delete(want.Open, k)
		}
	}
	if !maps.Equal(calls, want.Calls) || !maps.Equal(open, want.Open) {
		t.Errorf("%s:\ncalls %v, open %v\nwant  %v, open %v", name, calls, open, want.Calls, want.Open)
	}
	if got := (calltree.Problems{Unmatched: want.Unmatched}); one.Problems != got {
		t.Errorf("%s: problems %+v, want %+v", name, one.Problems, got)
	}
	for _, g := range one.Goroutines {
		if g.ID != 1 && (g.Parent != 1 || g.Origin == 0) {
			t.Errorf("%s: goroutine %+v; want one that main has started, and where", name, g)
		}
	}
}

// checkNumbers checks recordings of goroutines that number their calls. Each recording has a range
// of the numbers of each goroutine without a gap. The range is later than that of the recording
// before. There may be a gap behind the first number. A goroutine may look at the site's word in
// one recording, and go on in the next one. Then that one call is recorded before the site is on
// again.
func checkNumbers(t *testing.T, all []expected) {
	t.Helper()
	last := make(map[uint64]int64) // by goroutine: the latest number that was recorded
	total := 0
	for _, want := range all {
		f, err := tracefile.Open(want.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		name := filepath.Base(want.Path)
		if info := f.Info(); !info.Complete || info.Lost > 0 || info.Damaged > 0 || info.Stopped != 0 {
			t.Errorf("%s: %+v; want a complete one", name, info)
		}
		seen := make(map[uint64]int) // numbers by goroutine
		events, end := f.Events(), uint64(0)
		for ev := (tracefile.Event{}); events.Next(&ev); end = ev.Clock {
			if site, _ := f.Func(ev.Site); ev.Kind != tracefile.Enter || site.Name != "main.number" {
				continue
			}
			values, err := value.Decode(ev.Data, f.Type)
			if err != nil {
				t.Fatalf("%s: %v in %x", name, err, ev.Data)
			}
			var n int64
			if _, err := fmt.Sscanf(value.List(values, nil, false), "(%d)", &n); err != nil {
				t.Fatalf("%s: %v: number was called with %s (%x)", name, err, value.List(values, nil, false), ev.Data)
			}
			if l, ok := last[ev.Goroutine]; ok && (n <= l || seen[ev.Goroutine] > 1 && n != l+1) {
				t.Fatalf("%s: goroutine %d: number %d follows %d", name, ev.Goroutine, n, l)
			}
			last[ev.Goroutine] = n
			seen[ev.Goroutine]++
			total++
		}
		r, err := calltree.ReadFile(f, calltree.Options{Goroutines: true}, end, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := r.Problems
		if p.Unmatched > 2*1000 || p != (calltree.Problems{Unmatched: p.Unmatched}) {
			t.Errorf("%s: problems %+v; want at most 2 calls of each goroutine from before the recording", name, p)
		}
		for _, g := range r.Goroutines {
			if g.ID != 1 && (g.Parent != 1 || g.Origin == 0) {
				t.Errorf("%s: goroutine %+v; want one that main has started, and where", name, g)
			}
		}
	}
	if len(last) < 1000 || total < 100_000 {
		t.Errorf("%d numbers of %d goroutines were recorded, want many of 1000", total, len(last))
	}
}
