package recorded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// recordingOf returns a recording of events in the notation of calltreetest. The functions are main.main,
// p.F, p.G and p.H.
func recordingOf(t *testing.T, text string) *calltreetest.Recording {
	t.Helper()
	events, err := calltreetest.Events(text)
	if err != nil {
		t.Fatal(err)
	}
	r := &calltreetest.Recording{Path: "/tmp/r.wmt", Events: events, Waiting: true, Objects: true}
	table := calltreetest.Table{Package: "example.com/p"}
	for i, name := range []string{"main.main", "example.com/p.F", "example.com/p.G", "example.com/p.H"} {
		table.Sites = append(table.Sites, format.Site{Name: name, File: "/nowhere/p.go", Line: 10 * (i + 1)})
	}
	r.Tables = []calltreetest.Table{table}
	r.End = 1
	if len(events) > 0 {
		r.End = events[len(events)-1].Clock + 1
	}
	return r
}

func setOf(t *testing.T, r *calltreetest.Recording) *tracefile.Set {
	t.Helper()
	f, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	return joined(t, f)
}

func joined(t *testing.T, f *tracefile.File) *tracefile.Set {
	t.Helper()
	set, err := tracefile.Join([]*tracefile.File{f})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// A visitor asks a server.
type visitor struct {
	*testing.T
	client *http.Client
	home   string
}

func visit(t *testing.T, set *tracefile.Set, o Options) *visitor {
	t.Helper()
	s := ui.New("app")
	New(set, o).Mount(s)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t, &http.Client{Jar: jar}, ""}
	answer, err := v.client.Get(s.URL(server.Listener.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	v.home = strings.TrimSuffix(answer.Request.URL.String(), "/")
	return v
}

// raw returns the answer, once the server has read what it takes.
func (v *visitor) raw(path string) (int, []byte) {
	v.Helper()
	for {
		answer, err := v.client.Get(v.home + path)
		if err != nil {
			v.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			v.Fatal(err)
		}
		if answer.StatusCode != http.StatusAccepted {
			return answer.StatusCode, body
		}
		time.Sleep(time.Millisecond)
	}
}

// get returns an answer that is no error.
func get[T any](v *visitor, path string) (to T) {
	v.Helper()
	status, body := v.raw(path)
	if status != http.StatusOK {
		v.Fatalf("%s: status %d: %s", path, status, body)
	}
	if err := json.Unmarshal(body, &to); err != nil {
		v.Fatalf("%s: %v in %s", path, err, body)
	}
	return to
}

// main calls F twice, in which G waits 5 of 7 ticks the second time; G calls itself.
const program = "A10 B20 C30 c30 b20 B20 C30 _2 +5 =2,5,1,7 C40 c40 c30 b20 a10"

type overviewAnswer struct {
	Report json.RawMessage   `json:"report"`
	Short  map[string]string `json:"short"`
	Notes  []string          `json:"notes"`
	Alive  []int             `json:"alive"`
}

func TestOverview(t *testing.T) {
	set := setOf(t, recordingOf(t, program))
	got := get[overviewAnswer](visit(t, set, Options{}), "/api/overview")
	r := report.New(report.Options{})
	if err := r.Read(set); err != nil {
		t.Fatal(err)
	}
	var b, want, have bytes.Buffer
	if err := r.Write(&b, report.JSON); err != nil {
		t.Fatal(err)
	}
	if json.Compact(&want, b.Bytes()) != nil || json.Compact(&have, got.Report) != nil || want.String() != have.String() {
		t.Errorf("the report is\n%s, want that of the command:\n%s", have.String(), want.String())
	}
	if got.Short["example.com/p.F"] != "p.F" || slices.Max(got.Alive) != 1 || len(got.Notes) != 0 {
		t.Errorf("short names %v, alive %v, notes %q; want p.F, one goroutine, no note", got.Short, got.Alive, got.Notes)
	}
}

func (a *flameAnswer) text() string {
	var b strings.Builder
	for i := range a.ID {
		fmt.Fprintf(&b, "%s %d %d", a.Names[a.Func[i]][0], a.Value[i], a.Calls[i])
		if a.Old != nil {
			fmt.Fprintf(&b, " was %d", a.Old[i])
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestFlame(t *testing.T) {
	v := visit(t, setOf(t, recordingOf(t, program)), Options{})
	for _, test := range []struct{ query, want string }{
		{"", "main.main 18 1; p.F 15 2; p.G 11 2; p.G 1 1"},
		{"?measure=calls", "main.main 6 1; p.F 5 2; p.G 3 2; p.G 1 1"},
		{"?measure=waiting", "main.main 4 1; p.F 4 2; p.G 4 2"},
		{"?measure=runnable", "main.main 1 1; p.F 1 2; p.G 1 2"},
		{"?node=2", "p.F 15 2; p.G 11 2; p.G 1 1"},
		{"?view=callees&function=example.com/p.G", "p.G 11 2; p.G 1 1"},
		{"?view=callers&function=example.com/p.G", "p.G 11 3; p.F 11 2; main.main 11 2"},
	} {
		a := get[flameAnswer](v, "/api/flame"+test.query)
		if got := a.text(); got != test.want {
			t.Errorf("%s: %s\nwant %s", test.query, got, test.want)
		}
	}
}

func TestBefore(t *testing.T) {
	base := setOf(t, recordingOf(t, "A10 B20 b20 D50 d50 a10"))
	v := visit(t, setOf(t, recordingOf(t, program)), Options{Base: base})
	a := get[flameAnswer](v, "/api/flame?measure=calls")
	if got, want := a.text(), "main.main 6 1 was 3; p.F 5 2 was 1; p.H 0 0 was 1; p.G 3 2 was 0; p.G 1 1 was 0"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	type row struct {
		Name   string
		Calls  uint64
		Before *struct{ Calls uint64 }
	}
	tree := get[struct{ Rows []row }](v, "/api/tree?node=1")
	if len(tree.Rows) != 2 || tree.Rows[0].Before == nil || tree.Rows[0].Before.Calls != 1 {
		t.Errorf("below main.main there is %+v, want two functions, p.F with one call before", tree.Rows)
	}
}

func TestTree(t *testing.T) {
	v := visit(t, setOf(t, recordingOf(t, program)), Options{})
	type row struct {
		ID       uint32 `json:"id"`
		Name     string `json:"name"`
		Calls    uint64 `json:"calls"`
		Total    int64  `json:"total_ns"`
		Children int    `json:"children"`
	}
	type answer struct{ Rows []row }
	roots := get[answer](v, "/api/tree").Rows
	if len(roots) != 1 || roots[0] != (row{1, "main.main", 1, 18, 1}) {
		t.Fatalf("root calls are %+v, want main.main", roots)
	}
	below := get[answer](v, "/api/tree?node=1").Rows
	if len(below) != 1 || below[0].Name != "p.F" || below[0].Calls != 2 || below[0].Total != 15 {
		t.Errorf("below main.main there is %+v, want p.F", below)
	}
	type hit struct {
		row
		Path []flameName
	}
	found := get[struct {
		Hits []hit
		All  int
	}](v, "/api/search?q=p.g")
	if found.All != 2 || found.Hits[0].Total != 11 || len(found.Hits[0].Path) != 2 || found.Hits[0].Path[1].Name != "p.F" {
		t.Errorf("a search for p.g finds %+v, want the calls below p.F first", found)
	}
	around := get[struct{ Callers, Callees []row }](v, "/api/function?name=example.com/p.F")
	if len(around.Callers) != 1 || around.Callers[0].Name != "main.main" || len(around.Callees) != 1 || around.Callees[0].Name != "p.G" {
		t.Errorf("around p.F there is %+v, want main.main and p.G", around)
	}
}

// F calls itself, and the inner call waits: that is in its own time, though its total is in the outer one's.
func TestCallersOfRecursion(t *testing.T) {
	v := visit(t, setOf(t, recordingOf(t, "A10 B20 B30 _2 +5 =2,5,1,7 b30 b20 a10")), Options{})
	type row struct {
		Name    string `json:"name"`
		Total   int64  `json:"total_ns"`
		Self    int64  `json:"self_ns"`
		Waiting int64  `json:"self_waiting_ns"`
	}
	around := get[struct{ Callers []row }](v, "/api/function?name=example.com/p.F")
	want := []row{{"main.main", 10, 2, 0}, {"p.F", 0, 8, 4}}
	if !slices.Equal(around.Callers, want) {
		t.Errorf("p.F is called by %+v, want %+v", around.Callers, want)
	}
}

func TestTraces(t *testing.T) {
	v := visit(t, setOf(t, recordingOf(t, program+" @2 B10 +9 b10")), Options{})
	type trace struct {
		Key      string `json:"key"`
		Duration int64  `json:"duration_ns"`
	}
	list := get[struct{ Traces []trace }](v, "/api/traces").Traces
	if few := get[struct{ Traces []trace }](v, "/api/traces?top=1").Traces; len(few) != 1 || few[0] != list[0] {
		t.Errorf("the first trace is %+v, want the one of %+v", few, list)
	}
	if len(list) != 2 || list[0].Duration != 18 || list[1].Duration != 10 {
		t.Fatalf("traces are %+v, want two of 18 and 10 ns", list)
	}
	one := get[struct {
		Tree struct {
			Nodes []json.RawMessage `json:"nodes"`
		} `json:"tree"`
		Critical struct {
			Segments []struct {
				Duration int64 `json:"duration_ns"`
			} `json:"critical"`
		} `json:"critical"`
	}](v, "/api/trace?key="+list[0].Key)
	sum := int64(0)
	for _, s := range one.Critical.Segments {
		sum += s.Duration
	}
	if len(one.Tree.Nodes) != 4 || sum != 18 {
		t.Errorf("the trace has %d nodes, and its critical path takes %d ns; want 4 and 18", len(one.Tree.Nodes), sum)
	}
}

func TestHistogram(t *testing.T) {
	v := visit(t, setOf(t, recordingOf(t, "A10 "+strings.Repeat("B20 b20 ", 99)+"B20 +1000 b20 a10")), Options{})
	h := get[struct {
		Calls   uint64     `json:"calls"`
		Min     int64      `json:"min_ns"`
		P50     int64      `json:"p50_ns"`
		Max     int64      `json:"max_ns"`
		Classes [][3]int64 `json:"classes"`
	}](v, "/api/histogram?name=example.com/p.F")
	if h.Calls != 100 || h.Min != 1 || h.P50 != 1 || h.Max != 1001 || len(h.Classes) != 2 || h.Classes[0][2] != 99 {
		t.Errorf("durations are %+v, want 99 of 1 ns and one of 1001", h)
	}
}

// What a page can't have is an error that says why.
func TestMistakes(t *testing.T) {
	v := visit(t, setOf(t, recordingOf(t, program)), Options{})
	for path, want := range map[string]string{
		"/api/flame?node=99":                      "no such node",
		"/api/flame?node=x":                       "no such node",
		"/api/flame?measure=warmth":               "does not tell it",
		"/api/flame?view=sideways":                "want callees or callers",
		"/api/flame?view=callers&function=no.Way": "no call of a function no.Way",
		"/api/tree?sort=beauty":                   "no such column",
		"/api/tree?offset=-1":                     "want 0 or more",
		"/api/function?name=no.Way":               "no call of a function no.Way",
		"/api/histogram?name=no.Way":              "no call of a function no.Way",
		"/api/traces?top=-1":                      "want 0 or more",
		"/api/trace?key=7":                        "is no key",
		"/api/trace?key=1-999999":                 "no trace",
		"/api/source?file=/etc/passwd":            "no recorded function is in a file of that name",
		"/api/export?to=parchment":                "want perfetto",
		"/api/export?to=perfetto&time=tomorrow":   "tomorrow",
		"/api/export?to=perfetto&time=9h..10h":    "choose an earlier beginning",
	} {
		status, body := v.raw(path)
		if status != http.StatusBadRequest || !strings.Contains(string(body), want) {
			t.Errorf("%s: status %d, %s; want 400 with %q", path, status, body, want)
		}
	}
}

// Pages change no settings of the user's pprof.
func TestPprofSaves(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	v := visit(t, setOf(t, recordingOf(t, "A10 a10")), Options{})
	for _, path := range []string{"/pprof/saveconfig?config=mine&n=3", "/pprof/deleteconfig?config=mine"} {
		v.raw(path)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("there are %v, %v", files, err)
	}
}

// Recordings of nothing, and of one event, have pages.
func TestSmall(t *testing.T) {
	for _, text := range []string{"", "A10"} {
		v := visit(t, setOf(t, recordingOf(t, text)), Options{})
		for _, path := range []string{"/api/overview", "/api/flame", "/api/tree", "/api/search?q=x", "/api/traces", "/api/files", "/pprof/top"} {
			if status, body := v.raw(path); status != http.StatusOK {
				t.Errorf("%q: %s: status %d, %s", text, path, status, body)
			}
		}
		if o := get[overviewAnswer](v, "/api/overview"); o.Notes == nil || o.Alive == nil || o.Short == nil {
			t.Errorf("%q: null in %+v", text, o)
		}
	}
}

// A recursion of 10,000 levels is sent in parts.
func TestDeep(t *testing.T) {
	const depth = 10_000
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "B%d ", i+1)
	}
	for i := depth; i > 0; i-- {
		fmt.Fprintf(&b, "b%d ", i)
	}
	v := visit(t, setOf(t, recordingOf(t, b.String())), Options{})
	a := get[flameAnswer](v, "/api/flame")
	if len(a.ID) != flameLevels+1 || !a.More[flameLevels] {
		t.Fatalf("%d frames are sent, want %d", len(a.ID), flameLevels+1)
	}
	deep := get[flameAnswer](v, fmt.Sprintf("/api/flame?node=%d", a.ID[flameLevels]))
	if len(deep.ID) != flameLevels+1 || len(deep.Above) != flameLevels {
		t.Errorf("%d frames and %d callers are sent, want %d and %d", len(deep.ID), len(deep.Above), flameLevels+1, flameLevels)
	}
	for _, path := range []string{"/api/flame?view=callers&function=example.com/p.F", "/api/flame?view=callees&function=example.com/p.F", "/api/search?q=F"} {
		if status, body := v.raw(path); status != http.StatusOK || len(body) > 4<<20 {
			t.Errorf("%s: status %d, %d bytes", path, status, len(body))
		}
	}
}

// 100,000 goroutines are a curve.
func TestManyGoroutines(t *testing.T) {
	const goroutines = 100_000
	var events []tracefile.Event
	for id := range uint64(goroutines) {
		events = append(events, tracefile.Event{Kind: tracefile.Enter, Site: 2, Token: 10, Goroutine: id + 1, Clock: id + 1})
	}
	r := recordingOf(t, "")
	r.Events, r.End, r.PerBlock = events, goroutines+100, 4000
	v := visit(t, setOf(t, r), Options{})
	status, body := v.raw("/api/overview")
	var o overviewAnswer
	if err := json.Unmarshal(body, &o); status != http.StatusOK || err != nil || len(body) > 64<<10 {
		t.Fatalf("status %d, %d bytes, %v; want a small answer", status, len(body), err)
	}
	if most := slices.Max(o.Alive); most != goroutines {
		t.Errorf("%d goroutines at most are alive, want %d", most, goroutines)
	}
}

// memory is a cache.
type memory struct {
	content map[string][]byte
	hits    int
}

func (m *memory) Get(name string) ([]byte, bool) {
	b, ok := m.content[name]
	if ok {
		m.hits++
	}
	return b, ok
}

func (m *memory) SetPrivate(name string, content []byte) error {
	m.content[name] = content
	return nil
}

// fileOf writes a recording to a file.
func fileOf(t *testing.T, r *calltreetest.Recording) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.wmt")
	if err := os.WriteFile(path, r.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) *tracefile.Set {
	t.Helper()
	f, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return joined(t, f)
}

// What was made is kept, and found by the next server.
func TestKept(t *testing.T) {
	path := fileOf(t, recordingOf(t, program))
	m := &memory{content: make(map[string][]byte)}
	paths := []string{"/api/overview", "/api/flame", "/api/flame?measure=waiting", "/api/tree", "/api/traces", "/api/histogram?name=example.com/p.G", "/api/function?name=example.com/p.G"}
	var first []string
	v := visit(t, open(t, path), Options{Cache: m})
	for _, p := range paths {
		_, body := v.raw(p)
		first = append(first, string(body))
	}
	if m.hits != 0 || len(m.content) != 3 {
		t.Fatalf("%d hits, %d entries; want a profile, traces and durations", m.hits, len(m.content))
	}
	v = visit(t, open(t, path), Options{Cache: m})
	for i, p := range paths {
		if _, body := v.raw(p); string(body) != first[i] {
			t.Errorf("%s: what is kept is\n%s, want\n%s", p, body, first[i])
		}
	}
	if m.hits != 3 {
		t.Errorf("%d hits, want 3", m.hits)
	}
	// Damaged entries are made anew, and those of a file that was written to since are not asked for.
	for name := range m.content {
		m.content[name] = m.content[name][:len(m.content[name])/2]
	}
	if _, body := visit(t, open(t, path), Options{Cache: m}).raw("/api/flame"); string(body) != first[1] {
		t.Errorf("with damaged entries: %s, want %s", body, first[1])
	}
	m.hits = 0
	if err := os.WriteFile(path, recordingOf(t, program+" A10 a10").Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	a := get[flameAnswer](visit(t, open(t, path), Options{Cache: m}), "/api/flame?measure=calls")
	if m.hits != 0 || a.Total != 7 {
		t.Errorf("another file has %d hits and %d calls, want 0 and 7", m.hits, a.Total)
	}
}

// The page says what has become of the file since.
func TestFileChanges(t *testing.T) {
	path := fileOf(t, recordingOf(t, program))
	v := visit(t, open(t, path), Options{})
	notes := func() string { return strings.Join(get[overviewAnswer](v, "/api/overview").Notes, "\n") }
	if got := notes(); got != "" {
		t.Errorf("of a file as it was the page says %q", got)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("more"))
	f.Close()
	if got := notes(); !strings.Contains(got, "has changed: these pages") {
		t.Errorf("of a file that has grown the page says %q", got)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if got := notes(); !strings.Contains(got, "was removed") {
		t.Errorf("of a file that is gone the page says %q", got)
	}
	if err := os.WriteFile(path, []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := notes(); !strings.Contains(got, "is another file now") {
		t.Errorf("of another file the page says %q", got)
	}
	if a := get[flameAnswer](v, "/api/flame"); a.Total != 18 {
		t.Errorf("the flame graph has %d ns, want 18 as before", a.Total)
	}
}

// A damaged file is read up to the damage and after it, and the page says so.
func TestDamage(t *testing.T) {
	r := recordingOf(t, strings.Repeat(program+" ", 100))
	b := r.Bytes()
	for i := len(b) / 2; i < len(b)/2+50; i++ {
		b[i] ^= 0x55
	}
	path := filepath.Join(t.TempDir(), "r.wmt")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	m := &memory{content: make(map[string][]byte)}
	o := get[overviewAnswer](visit(t, open(t, path), Options{Cache: m}), "/api/overview")
	if text := strings.Join(o.Notes, "\n"); !strings.Contains(text, "could not be read") {
		t.Errorf("of a damaged file the page says %q", text)
	}
	if len(m.content) > 0 {
		t.Errorf("%d entries of a damaged file are kept, want none", len(m.content))
	}
}

// The source of a function is shown with a note if it may have changed since.
func TestSource(t *testing.T) {
	r := recordingOf(t, program)
	path := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(path, []byte("package p\n\nfunc F() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for i := range r.Tables[0].Sites {
		r.Tables[0].Sites[i].File = path
	}
	v := visit(t, setOf(t, r), Options{})
	type answer struct {
		Lines     []string
		Functions []struct{ Name string }
		Note      string
	}
	files := get[[]struct{ File string }](v, "/api/files")
	if len(files) != 1 || files[0].File != path {
		t.Fatalf("files are %v, want %s", files, path)
	}
	address := "/api/source?file=" + url.QueryEscape(path)
	a := get[answer](v, address)
	if !slices.Equal(a.Lines, []string{"package p", "", "func F() {}"}) || len(a.Functions) != 3 || !strings.Contains(a.Note, "was changed after") {
		t.Errorf("%+v; want three lines, three functions, and that the file is newer", a)
	}
	if err := os.Chtimes(path, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if a := get[answer](v, address); a.Note != "" {
		t.Errorf("of an old file the page says %q", a.Note)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if a := get[answer](v, address); len(a.Lines) > 0 || len(a.Functions) != 3 || !strings.Contains(a.Note, "can't be read") {
		t.Errorf("%+v; want the functions, and that the file is gone", a)
	}
}

// Exports are downloads whose names are harmless.
func TestExport(t *testing.T) {
	r := recordingOf(t, program)
	r.Program = "/bin/a\"b\r\nc"
	v := visit(t, setOf(t, r), Options{})
	for format := range endings {
		answer, err := v.client.Get(v.home + "/api/export?to=" + format)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		want := `attachment; filename="a_b_r_nc` + endings[format] + `"`
		if err != nil || answer.StatusCode != http.StatusOK || len(body) == 0 || answer.Header.Get("Content-Disposition") != want {
			t.Errorf("%s: status %d, %d bytes, %q, %v; want %s", format, answer.StatusCode, len(body), answer.Header.Get("Content-Disposition"), err, want)
		}
	}
}
