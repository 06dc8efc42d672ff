package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/stats"
	"github.com/waymark-go/waymark/trace"
)

// A fake is a program that the agent is in.
type fake struct {
	log     []string // what was asked of it
	files   []*fakeFile
	options *stats.Options
	roots   string // of traces
	traces  *trace.Options
	seen    string // path of the file
	awaits  int    // until the program ends
	refuses error

	ticks          int64
	counted, timed [3]uint64 // calls by site

	atExit, beforeExec, last []func()
	packages                 []*rt.Package
	stringer                 func(any) (string, bool)
}

type fakeFile struct {
	config recorder.Config
	log    []string
	ended  bool
	path   string
}

func (f *fakeFile) AddGroups(list ...format.Group) {
	f.log = append(f.log, fmt.Sprint("groups ", list))
}
func (f *fakeFile) HideValues()           { f.log = append(f.log, "hidden") }
func (f *fakeFile) Ended() bool           { return f.ended }
func (f *fakeFile) Path() string          { return f.path }
func (f *fakeFile) Dump() (string, error) { return "dump", nil }
func (f *fakeFile) Close() error          { f.log = append(f.log, "closed"); return nil }

func (f *fake) say(args ...any) { f.log = append(f.log, fmt.Sprint(args...)) }

func (f *fake) Enabled() bool      { return true }
func (f *fake) Mute(bool)          {}
func (f *fake) Hide(values bool)   { f.say("hide ", values) }
func (f *fake) Linked(string) bool { return !unlinked }
func (f *fake) Packages(do func(*rt.Package)) {
	for _, p := range f.packages {
		do(p)
	}
}
func (f *fake) Stringer(do func(any) (string, bool))     { f.stringer = do }
func (f *fake) Go(do func())                             { go do() }
func (f *fake) LikeOthers()                              {}
func (f *fake) Ready(int32, bool, int64) int32           { return -1 }
func (f *fake) GoLast(do func())                         { f.last = append(f.last, do) }
func (f *fake) Sample(uint64)                            {}
func (f *fake) Estimate(uint32, estimate.Guess)          {}
func (f *fake) Reserve(int)                              {}
func (f *fake) SampleWaits() bool                        { return false }
func (f *fake) CPU() (int64, bool)                       { _, mono := f.Now(); return mono, true }
func (f *fake) SampleCost() (calls, ticks, floor uint64) { return 0, 0, 0 }
func (f *fake) Await(int64) bool                         { f.awaits--; return f.awaits <= 0 }
func (f *fake) Now() (uint64, int64)                     { f.ticks += 1e7; return uint64(f.ticks), f.ticks }
func (f *fake) Floor(int) uint64                         { return 0 }
func (f *fake) Sites() uint32                            { return 3 }
func (f *fake) SumOf(site uint32) rt.Sum {
	return rt.Sum{Calls: f.timed[site], Ended: f.timed[site], Total: 20 * f.timed[site]}
}
func (f *fake) Counts(counted, timed []uint64) { copy(counted, f.counted[:]); copy(timed, f.timed[:]) }
func (f *fake) Clock() error                   { return nil }
func (f *fake) Said()                          { f.say("said") }
func (f *fake) AtExit(do func())               { f.atExit = append(f.atExit, do) }
func (f *fake) BeforeExec(do func())           { f.beforeExec = append(f.beforeExec, do) }
func (f *fake) Gather(o stats.Options) (*stats.Gathering, error) {
	f.options = &o
	return nil, nil
}
func (f *fake) Trace(roots switchboard.Selector, o trace.Options) error {
	f.roots, f.traces = roots.String(), &o
	return nil
}

func (f *fake) CountTests(func([]byte) error) { f.say("counts of tests") }

func (f *fake) See(path, program string) (seenFile, error) {
	if f.refuses != nil {
		return nil, f.refuses
	}
	f.seen = path
	return fakeSeen{f}, nil
}

type fakeSeen struct{ *fake }

func (f fakeSeen) Name() string           { return "seen" }
func (f fakeSeen) Register(p *rt.Package) { f.say("seen package ", p.Base) }
func (f fakeSeen) End()                   { f.say("seen end") }

func (f *fake) Finish(do func(), _ int64, wait func() bool) bool {
	if !wait() {
		return false
	}
	do()
	return true
}

func (f *fake) Record(c recorder.Config) (file, error) {
	if f.refuses != nil {
		return nil, f.refuses
	}
	to := &fakeFile{config: c, path: c.Path}
	f.files = append(f.files, to)
	c.Packages(func(p *rt.Package) { to.log = append(to.log, fmt.Sprint("package ", p.Base)) })
	return to, nil
}

// exit ends the program.
func (f *fake) exit() {
	for i := len(f.atExit) - 1; i >= 0; i-- {
		f.atExit[i]()
	}
}

// begins has the agent begin with such settings in a fake program. The program has a package m of
// two functions, and F is in group G.
func begins(t *testing.T, env string) (*fake, *switchtest.Runtime, error) {
	t.Helper()
	r, f := switchtest.Fresh(t), new(fake)
	before, beforeBegan, beforeWanted, beforeSelections := host, began, wanted, selections
	host, wanted, selections = f, nil, nil
	restart()
	t.Cleanup(func() {
		host, began, wanted, selections = before, beforeBegan, beforeWanted, beforeSelections
		restart()
	})
	t.Setenv("WAYMARK", env)
	err := begin(env)
	p := r.Register("m", switchtest.Functions("m.F", "m.H"), format.Facility{Groups: []string{"m.G"}, Functions: []format.TracedFunction{{Name: "F", Site: 0}}})
	switchboard.Default.AddGroups(format.Group{Name: "G"})
	switchboard.Default.Bind(p, []*switchboard.Bound{{Name: "G"}})
	return f, r, err
}

// restart forgets recordings.
func restart() {
	current.Store(nil)
	noting = noted{}
	recorded.Store(false)
}

// stderr returns what f says for the user.
func stderr(t *testing.T, f func()) (text string) {
	t.Helper()
	said := switchtest.Said(t)
	f()
	for _, line := range *said {
		text += line + "\n"
	}
	return text
}

// What WAYMARK asks for is wished on the switchboard.
func TestOwners(t *testing.T) {
	for _, c := range []struct {
		env  string
		f, h string // words of the functions
		file bool
	}{
		{"record,o=x.wmt", "recorded", "recorded", true},
		{"record,p=@G", "recorded", "", true},
		{"t=@G", "watched", "", false},
		{"record,p=@G,t=@G", "recorded watched", "", true},
		{"t=m.H,d=3", "", "watched", false},
		{"t=m.H,t=@G", "watched", "watched", false},
	} {
		f, r, err := begins(t, c.env)
		if err != nil {
			t.Fatalf("%s: %v", c.env, err)
		}
		if got := []string{r.Word("m.F"), r.Word("m.H")}; !slices.Equal(got, []string{c.f, c.h}) {
			t.Errorf("%s: words %q, want %q and %q", c.env, got, c.f, c.h)
		}
		if got := len(f.files) == 1; got != c.file {
			t.Errorf("%s: %d files", c.env, len(f.files))
		}
		if text := stderr(t, f.exit); text != "" {
			t.Errorf("%s: at the end %q", c.env, text)
		}
		if c.file && slices.Contains(f.files[0].log, "closed") {
			t.Errorf("%s: the file was told %q; the recorder closes it at the end of the program", c.env, f.files[0].log)
		}
	}
}

// Functions are seen beside all else; p and x choose them, if they don't choose what is gathered.
func TestSeen(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ env, path, f, h string }{
		{"seen", "waymark.seen", "seen", "seen"},
		{"seen=1,o=x-%n.seen", "x-agent.test.seen", "seen", "seen"},
		{"seen=y.seen,record,o=x.wmt", "y.seen", "recorded seen", "recorded seen"},
		{"record,o=x.wmt,seen", "waymark.seen", "recorded seen", "recorded seen"},
		{"seen,p=m.F", "waymark.seen", "seen", ""},
		{"seen,x=@G,t=m.F", "waymark.seen", "watched", "seen"},
	} {
		f, r, err := begins(t, c.env)
		if err != nil {
			t.Fatalf("%s: %v", c.env, err)
		}
		if got := []string{r.Word("m.F"), r.Word("m.H")}; !slices.Equal(got, []string{c.f, c.h}) {
			t.Errorf("%s: words %q, want %q and %q", c.env, got, c.f, c.h)
		}
		if want := filepath.Join(dir, c.path); f.seen != want {
			t.Errorf("%s: file %s, want %s", c.env, f.seen, want)
		}
		if text := stderr(t, f.exit); text != "" || !slices.Contains(f.log, "seen end") || f.options != nil {
			t.Errorf("%s: at the end %q, log %q, statistics %v", c.env, text, f.log, f.options)
		}
	}
	if f, _, err := begins(t, "seen=0"); f.seen != "" || err != nil {
		t.Errorf("seen=0: file %q, %v", f.seen, err)
	}
}

// What is wrong with WAYMARK is an error, or said at the end.
func TestMistakes(t *testing.T) {
	for env, want := range map[string]string{
		"record,p=m.F":   "WAYMARK: record with p or x of m.F: a recording is of all functions or of groups; leave functions out when the program is built, or when the recording is read",
		"qqqqqqqq":       `WAYMARK, character 1: unknown key "qqqqqqqq"`,
		"@/no/such/file": "WAYMARK=@/no/such/file: no such file or directory",
		"seen=%q":        "WAYMARK, character 1: seen=%q: unknown placeholder %q: want %p, the process id, %n, the program's name, or %%",
		"record,o=%q":    "WAYMARK, character 8: o=%q: unknown placeholder %q: want %p, the process id, %n, the program's name, or %%",
	} {
		if _, _, err := begins(t, env); fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", env, err, want)
		}
	}
	for env, want := range map[string]string{
		"t=@None":  "WAYMARK: the program has no group None\n",
		"t=m.None": "WAYMARK: m.None names no function that was instrumented\n",
		"o=x.wmt":  "WAYMARK: o without record: nothing is recorded; add record, as in WAYMARK=record,o=FILE\n",
	} {
		f, _, err := begins(t, env)
		if text := stderr(t, f.exit); err != nil || text != want {
			t.Errorf("%s: %v, at the end %q, want %q", env, err, text, want)
		}
	}
}

// Recordings, one after the other.
func TestRecordings(t *testing.T) {
	f, r, err := begins(t, "overflow=ring")
	if err != nil {
		t.Fatal(err)
	}
	record := func(path string) (*Recording, error) {
		return record(path, "", switchboard.Default.Join("Record", switchboard.Program), switchboard.Wish{Want: rt.Recorded, Kind: "Record"})
	}
	dir := t.TempDir()
	for i := 0; i < 3; i++ {
		path := filepath.Join(dir, fmt.Sprint(i, ".wmt"))
		rec, err := record(path)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Path() != path || r.Word("m.F") != "recorded" || f.files[i].config.Overflow != rt.Ring {
			t.Errorf("recording %d: path %s, word %q, settings %+v", i, rec.Path(), r.Word("m.F"), f.files[i].config)
		}
		if _, err := record("other.wmt"); !errors.Is(err, fault.ErrRecording) {
			t.Errorf("another one meanwhile: %v, want %v", err, fault.ErrRecording)
		}
		if err := (public{}).Recorded(); err != nil {
			t.Errorf("while one is going on: %v", err)
		}
		switchboard.Default.AddGroups(format.Group{Name: fmt.Sprint("late", i)})
		if path, err := (public{}).Dump(); path != "dump" || err != nil {
			t.Errorf("dump: %s, %v", path, err)
		}
		public{}.HideValues()
		for range []int{1, 2} {
			if err := rec.Close(); err != nil {
				t.Errorf("closed: %v", err)
			}
		}
		if want := []string{"package 1", fmt.Sprintf("groups [{late%d [] []}]", i), "hidden", "closed"}; !slices.Equal(f.files[i].log, want) {
			t.Errorf("file %d was told %q, want %q", i, f.files[i].log, want)
		}
		if _, err := rec.Dump(); r.Word("m.F") != "" || !errors.Is(err, fault.ErrNoWindow) {
			t.Errorf("closed: word %q, dump %v", r.Word("m.F"), err)
		}
	}
	public{}.HideValues()
	if !slices.Equal(f.log, []string{"hide true"}) {
		t.Errorf("hidden without a recording: %q", f.log)
	}
	if err := (public{}).Recorded(); err != nil || len(f.files) != 4 || f.files[3].config.Path != mustAbs(t, "waymark.wmt") {
		t.Errorf("a recording by WAYMARK's settings: %v, %+v", err, f.files[len(f.files)-1].config)
	}
	f.files[3].ended = true
	if err := (public{}).Recorded(); err == nil || !strings.Contains(err.Error(), "has ended by itself") {
		t.Errorf("when it has ended by itself: %v", err)
	}
	f.refuses = errors.New("full")
	if _, err := record(filepath.Join(dir, "x.wmt")); err == nil || !strings.HasSuffix(err.Error(), "x.wmt: full") {
		t.Errorf("refused: %v", err)
	}
	if _, err := (public{}).Dump(); !errors.Is(err, fault.ErrNoWindow) {
		t.Errorf("dumped: %v, want %v", err, fault.ErrNoWindow)
	}
}

// A recording that has ended by itself, as its file has its size, leaves nothing to the next one.
// The next recording is of its own functions only.
func TestSelections(t *testing.T) {
	record := func(name string) *Recording {
		r, err := record(filepath.Join(t.TempDir(), "x.wmt"), "", switchboard.Default.Join("Record", switchboard.Program),
			switchboard.Wish{Want: rt.Recorded, Kind: "Record", Select: switchboard.Selection{Has: func(f *function.Func) bool { return f.Name == name }}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for env, printed := range map[string]string{"": "", "record": "", "record,p=@G": "", "record,p=@G,t=@G": " watched"} {
		f, r, err := begins(t, env)
		if err != nil {
			t.Fatal(err)
		}
		check := func(when, wantF, wantH string) {
			t.Helper()
			if gotF, gotH := r.Word("m.F"), r.Word("m.H"); gotF != strings.TrimSpace(wantF+printed) || gotH != wantH {
				t.Errorf("%q: %s words are %q and %q, want %q and %q", env, when, gotF, gotH, strings.TrimSpace(wantF+printed), wantH)
			}
		}
		if env == "" {
			record("m.F")
			check("in the first recording", "recorded", "")
		}
		f.files[0].ended = true
		second := record("m.H")
		check("in the second recording", "", "recorded")
		second.Close()
		check("in the end", "", "")
	}
}

func mustAbs(t *testing.T, path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Reports, from time to time, when another program takes the place of this one, and at the end.
func TestReports(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	f, _, err := begins(t, "p=m.F,i=1,report=text:"+out)
	if err != nil {
		t.Fatal(err)
	}
	if f.options == nil || !f.options.Functions(stats.Func{Name: "m.F", Package: "m"}) || f.options.Functions(stats.Func{Name: "m.H", Package: "m"}) {
		t.Errorf("gathered: %+v", f.options)
	}
	f.beforeExec[0]()
	f.awaits = 3
	f.last[0]()
	f.exit()
	b, _ := os.ReadFile(out)
	if n := strings.Count(string(b), "performance report: "); n != 2 || !strings.Contains(string(b), "*** end of performance report ***") || !slices.Contains(f.log, "said") {
		t.Errorf("%d reports, want 2, before exec and at the end; the program was asked %q\n%s", n, f.log, b)
	}
	r := &reporter{pid: os.Getpid(), program: "app", statistics: statistics{Report: output{JSON: true, Path: out + ".json"}, FullNames: true}, began: time.Now()}
	r.report(true, false)
	r.last()
	r.last()
	b, _ = os.ReadFile(out + ".json")
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	for i, line := range lines {
		var head struct {
			Program string
			Last    bool
		}
		if err := json.Unmarshal(line, &head); err != nil || head.Program != "app" || head.Last != (i == 1) {
			t.Errorf("line %d: %s, %v", i, line, err)
		}
	}
	if len(lines) != 2 {
		t.Errorf("%d lines, want 2", len(lines))
	}
	bad := &reporter{pid: os.Getpid(), statistics: statistics{Report: output{Path: "/no/such/folder/x"}}}
	if text := stderr(t, bad.last); !strings.HasPrefix(text, "report: ") || !bad.failed {
		t.Errorf("that can't be written: %q", text)
	}
	bad = &reporter{pid: os.Getpid(), statistics: statistics{Report: output{FD: 1}}}
	if text := stderr(t, bad.last); text != "report: descriptor 1 isn't what it was when the program began; there are no further reports\n" {
		t.Errorf("to another descriptor: %q", text)
	}
	(&reporter{pid: -1}).last() // a copy of the process
	if text := stderr(t, func() { (&reporter{}).patiently(func() {}) }); text != "" {
		t.Errorf("patiently: %q", text)
	}
}

// The latest numbers, in the place of what another program has left.
func TestLatest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "latest.json")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	f, _, err := begins(t, "stats,latest="+path)
	if err != nil {
		t.Fatal(err)
	}
	f.awaits = 2
	f.last[0]()
	b, err := os.ReadFile(strings.TrimSuffix(path, ".json") + "-2.json")
	if err != nil || !bytes.Contains(b, []byte(`"last":true`)) {
		t.Errorf("%s, %v", b, err)
	}
}

// Texts of values by their own methods.
func TestTexts(t *testing.T) {
	f, _, err := begins(t, "record,stringers")
	if err != nil {
		t.Fatal(err)
	}
	f.files[0].config.Values("stringers")
	for _, c := range []struct {
		v    any
		want string
		ok   bool
	}{{errors.New("wrong"), "wrong", true}, {time.Second, "1s", true}, {7, "", false}, {(*time.Location)(nil), "UTC", true}, {panics{}, "", false}} {
		if got, ok := f.stringer(c.v); got != c.want || ok != c.ok {
			t.Errorf("%v: %q, %v, want %q, %v", c.v, got, ok, c.want, c.ok)
		}
	}
}

type panics struct{}

func (panics) String() string { panic("no text") }

// Words that make fields secret are the build's and those of WAYMARK.
func TestSecrets(t *testing.T) {
	f, _, err := begins(t, "redact=owner")
	if err != nil {
		t.Fatal(err)
	}
	f.packages = []*rt.Package{{Settings: "redact=pin"}}
	before := redaction
	redaction = new(redactor)
	defer func() { redaction = before }()
	if got := secrets(); !slices.Contains(got, "owner") || !slices.Contains(got, "pin") || !slices.Contains(got, "password") {
		t.Errorf("words %q", got)
	}
}

// Values of panics are seen where the program was built so that values are, and WAYMARK leaves some.
func TestPanicValues(t *testing.T) {
	for _, c := range []struct {
		built, env string
		want       bool
	}{
		{"", "", false}, {"", "args", false}, {"redact=pin,args=0,results=0", "args,results", false},
		{"arg-depth=2", "", true}, {"arg-depth=2", "args=0", true}, {"arg-depth=2", "results=0", true}, {"arg-depth=2", "args=0,results=0", false},
	} {
		v := values(settings{text: c.built}, settings{text: c.env})
		if v.Panics != c.want {
			t.Errorf("built with %q, WAYMARK=%s: %v, want %v", c.built, c.env, v.Panics, c.want)
		}
		if want := !strings.Contains(c.env, "args=0"); v.Args != want {
			t.Errorf("built with %q, WAYMARK=%s: arguments %v, want %v", c.built, c.env, v.Args, want)
		}
	}
}

func TestTraces(t *testing.T) {
	for env, want := range map[string]string{
		"traces=main.a": "roots main.a slowest 20/0s failed false longer 0s tail 0 onein 0 calls nil file ",
		"traces=main.a,traces=main.b,keep=failed":                                         "roots main.a, main.b slowest 0/0s failed true longer 0s tail 0 onein 0 calls nil file ",
		"traces=main.a,keep=slowest:3,keep=longer:10ms,keep=onein:9,p=main.*,o=/t/%n.xml": "roots main.a slowest 3/0s failed false longer 10ms tail 0 onein 9 calls main.* file /t/agent.test.xml",
		"traces=main.a,record,o=t":                                                        "roots main.a slowest 20/0s failed false longer 0s tail 0 onein 0 calls nil file ", "traces=main.a,seen,o=t": "roots main.a slowest 20/0s failed false longer 0s tail 0 onein 0 calls nil file ",
		"traces=main.a,keep=p99.9":                        "roots main.a slowest 0/0s failed false longer 0s tail 0.9990000000000001 onein 0 calls nil file ",
		"traces=main.a,keep=slowest:3/5m":                 "roots main.a slowest 3/5m0s failed false longer 0s tail 0 onein 0 calls nil file ",
		"traces=main.a,keep=slowest:3,otlp=http://c:4318": "roots main.a slowest 3/1m0s failed false longer 0s tail 0 onein 0 calls nil file ",
		"traces=main.a,keep=all":                          "roots main.a slowest 0/0s failed false longer 0s tail 0 onein 1 calls nil file ",
	} {
		f, _, err := begins(t, env)
		if err != nil {
			t.Errorf("%s: %v", env, err)
			continue
		}
		if f.traces == nil || f.options != nil {
			t.Errorf("%s: traces %v, statistics %v; want traces and no statistics", env, f.traces, f.options)
			continue
		}
		o, calls := f.traces, "nil"
		if o.Calls != nil {
			calls = o.Calls.String()
		}
		got := fmt.Sprint("roots ", f.roots, " slowest ", o.Slowest, "/", o.Period, " failed ", o.Failed, " longer ", o.Longer, " tail ", o.Tail, " onein ", o.OneIn, " calls ", calls, " file ", o.File)
		if got != want {
			t.Errorf("%s: got\n%s, want\n%s", env, got, want)
		}
	}
	if f, _, err := begins(t, "traces=main.a,stats"); err != nil || f.traces == nil || f.options == nil {
		t.Errorf("%v, traces %v, statistics %v; want both", err, f.traces, f.options)
	}
}
