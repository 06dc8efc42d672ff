package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/internal/program/control"
)

// A program answers as an instrumented one does: each connection that watches has one call, and then
// nothing until it is stopped.
type program struct {
	mu       sync.Mutex
	open     int // connections
	all      []net.Conn
	requests []control.Request
	dialed   [][]string // targets of connections
	closed   chan bool  // one for each connection that has ended
	dead     bool
	sampled  string // the tree of each sampler

	elsewhere bool // it sees other files
}

func (p *program) connect(targets ...string) (*live.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialed = append(p.dialed, targets)
	if p.dead {
		return nil, errors.New("no such process")
	}
	here, there := net.Pipe()
	p.open++
	p.all = append(p.all, there)
	go p.serve(there)
	return &live.Conn{Conn: here}, nil
}

func (p *program) serve(c net.Conn) {
	defer func() {
		p.mu.Lock()
		p.open--
		p.mu.Unlock()
		c.Close()
		p.closed <- true
	}()
	told, bare, sampler := false, false, false
	for {
		var r control.Request
		if control.Read(c, &r) != nil {
			return
		}
		p.mu.Lock()
		p.requests = append(p.requests, r)
		p.mu.Unlock()
		answer := control.Response{Version: control.Version}
		switch r.Do {
		case control.DoStatus:
			answer.Status = &control.Status{PID: 7, Program: "/bin/app", Groups: []string{"IO"}}
		case control.DoWatch, control.DoRecord:
			if len(r.Targets) > 0 && r.Targets[0] == "nothing" {
				answer.Error = &control.Error{Code: control.CodeTarget, Text: "nothing: no such function"}
			} else {
				bare = r.Watch != nil && r.Watch.Bare
				sampler = r.Watch != nil && r.Watch.Kind == control.KindSamples
				answer.Change = &control.Change{Functions: 3, Path: r.Path}
			}
		case control.DoNext:
			answer.News = &control.News{}
			if !told {
				told = true
				call := control.Call{Function: "p.F"}
				if !bare {
					call.Args, call.Results, call.Panic = "secret", "secret", "secret"
				}
				answer.News.Calls = []control.Call{call}
			}
		case control.DoStop:
			answer.News = &control.News{Done: true}
			if sampler {
				answer.News.Sampled = json.RawMessage(p.sampled)
			}
		}
		if control.Write(c, answer) != nil {
			return
		}
	}
}

// die ends the program.
func (p *program) die() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	for _, c := range p.all {
		c.Close()
	}
}

// A browser is the other side of a page.
type browser struct {
	t      *testing.T
	client *http.Client
	home   string
	origin string
	stream io.Closer
	lines  *bufio.Scanner
	id     string

	hasLines bool // the page shows source
}

func open(t *testing.T, p *program) *browser {
	t.Helper()
	s := ui.New("app")
	New(p.connect, Options{Folder: t.TempDir(), Lines: !p.elsewhere}).Mount(s)
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &browser{t: t, client: &http.Client{Jar: jar}, origin: server.URL}
	answer, err := g.client.Get(s.URL(server.Listener.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	g.home = strings.TrimSuffix(answer.Request.URL.String(), "/")
	if answer, err = g.client.Get(g.home + "/api/live/events"); err != nil {
		t.Fatal(err)
	}
	g.stream, g.lines = answer.Body, bufio.NewScanner(answer.Body)
	hello := g.await("hello", "")
	g.id, g.hasLines = hello.Session, hello.Lines
	return g
}

// await returns the next event of a kind.
func (g *browser) await(kind, task string) (e event) {
	g.t.Helper()
	for g.lines.Scan() {
		data, ok := strings.CutPrefix(g.lines.Text(), "data: ")
		if !ok {
			continue
		}
		e = event{}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			g.t.Fatal(err)
		}
		if e.Kind == kind && e.Task == task {
			return e
		}
		if kind == "news" && e.Kind == "ended" && e.Task == task {
			g.t.Fatalf("%s has ended: %s", task, e.Text)
		}
	}
	g.t.Fatalf("the stream ended before %s %s: %v", kind, task, g.lines.Err())
	return e
}

// ask sends a command and returns the status and the answer.
func (g *browser) ask(what string, c command) (int, string) {
	g.t.Helper()
	if c.Session == "" {
		c.Session = g.id
	}
	b, err := json.Marshal(c)
	if err != nil {
		g.t.Fatal(err)
	}
	r, err := http.NewRequest("POST", g.home+"/api/live/"+what, strings.NewReader(string(b)))
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Origin", g.origin)
	answer, err := g.client.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// source asks for a source file.
func (g *browser) source(session, file string) (status int, body string) {
	g.t.Helper()
	answer, err := g.client.Get(g.home + "/api/live/source?session=" + session + "&file=" + url.QueryEscape(file))
	if err != nil {
		g.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

// A program that runs elsewhere names files of there: none is read here.
func TestElsewhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "seen.go")
	if err := os.WriteFile(file, []byte("package p\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &program{closed: make(chan bool, 100), elsewhere: true, sampled: `{"from": "2026-11-27T00:00:00Z", "to": "2026-11-27T00:00:01Z",
		"root": {"name": "", "children": [{"name": "p.F", "file": "` + file + `", "line": 1}]}}`}
	g := open(t, p)
	if g.hasLines {
		t.Error("the page is told that it can show lines")
	}
	g.ask("start", command{Task: "sample"})
	g.await("news", "sample")
	if status, body := g.source(g.id, file); status != 400 || !strings.Contains(body, "runs elsewhere") {
		t.Errorf("status %d, %s; want 400", status, body)
	}
}

// The program is asked for values only if the page says that the user wants them.
func TestValues(t *testing.T) {
	p := &program{closed: make(chan bool, 100)}
	g := open(t, p)
	for _, values := range []bool{false, true} {
		if status, body := g.ask("start", command{Task: "watch", Targets: []string{"p.F"}, Values: values, Limit: 5}); status != 200 {
			t.Fatalf("status %d: %s", status, body)
		}
		call := g.await("news", "watch").News.Calls[0]
		if got := call.Args + call.Results + call.Panic; (got != "") != values {
			t.Errorf("values %v: the page is told %q", values, got)
		}
		g.ask("stop", command{Task: "watch"})
		g.await("ended", "watch")
	}
}

// A line's condition is of variables, and the program is asked on a connection for lines.
func TestLine(t *testing.T) {
	p := &program{closed: make(chan bool, 100)}
	g := open(t, p)
	if status, body := g.ask("start", command{Task: "watch", Targets: []string{"store.go:118"}, If: "n > 3", Values: true}); status != 200 {
		t.Fatalf("status %d: %s", status, body)
	}
	if e := g.await("begun", "watch"); len(e.Targets) != 1 || e.Targets[0] != "store.go:118" {
		t.Errorf("the page is told that %q is watched, want the line", e.Targets)
	}
	g.await("news", "watch")
	want, err := expression.CompileLine("n > 3")
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if r.Do == control.DoWatch && (r.Watch.Bare || string(r.Watch.If) != string(want.Append(nil))) {
			t.Errorf("watch %+v, want values and the condition of a line", r.Watch)
		}
	}
	if got := p.dialed[len(p.dialed)-1]; len(got) != 1 || got[0] != "store.go:118" {
		t.Errorf("the connection is for %q, want the line", got)
	}
}

// A sample adds up trees until something is counted. Files that functions of it are in can be read, and no others.
func TestSample(t *testing.T) {
	folder := t.TempDir()
	seen, other := filepath.Join(folder, "seen.go"), filepath.Join(folder, "other.go")
	for _, file := range []string{seen, other} {
		if err := os.WriteFile(file, []byte("package p\n\nfunc F() {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &program{closed: make(chan bool, 100), sampled: `{"from": "2026-11-27T00:00:00Z", "to": "2026-11-27T00:00:01Z", "sampling": {"samples": 10, "cost_ns": 5},
		"root": {"name": "", "samples": 20, "total_ns": 200, "cpu_ns": 120, "children": [
			{"name": "p.F", "file": "` + seen + `", "line": 3, "samples": 20, "total_ns": 200, "cpu_ns": 120, "children": [
				{"name": "p.F", "file": "` + seen + `", "line": 3, "samples": 10, "total_ns": 100, "cpu_ns": 20},
				{"name": "p.G", "file": "/etc/passwd", "samples": 5, "total_ns": 50, "cpu_ns": 50}]}]}}`}
	g := open(t, p)
	if status, body := g.ask("start", command{Task: "sample"}); status != 200 {
		t.Fatalf("status %d: %s", status, body)
	}
	for n := range int64(2) {
		s := g.await("news", "sample").Sample
		if n++; s.Samples != 10*n || int64(s.Took) != 1e9*n || int64(s.Running) != 120*n || len(s.Functions) != 2 {
			t.Fatalf("after %d rounds: %+v", n, s)
		}
		f := s.Functions[0]
		if want := (sampled{Function: "p.F", File: seen, Line: 3, Top: time.Duration(70 * n), Running: time.Duration(120 * n), Waiting: time.Duration(80 * n)}); *f != want {
			t.Errorf("after %d rounds p.F has %+v, want %+v", n, *f, want)
		}
	}
	for file, want := range map[string]int{seen: 200, other: 400, "/etc/passwd": 400, "": 400} {
		status, body := g.source(g.id, file)
		if status != want || want == 200 && !strings.Contains(body, `"func F() {}"`) {
			t.Errorf("%s: status %d, %s, want %d", file, status, body, want)
		}
	}
	if status, _ := g.source("of another page", seen); status != 400 {
		t.Errorf("another page's session: status %d, want 400", status)
	}
	g.ask("start", command{Task: "top", Targets: []string{"nothing"}})
	for range 2 { // a mistake ends nothing
		g.await("news", "sample")
	}
	g.ask("start", command{Task: "top"})
	g.await("ended", "sample")
	g.await("begun", "top")
}

// A sample ends after a minute, and leaves the sampler to others.
func TestSampleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{closed: make(chan bool, 100), sampled: `{"root": {"name": ""}}`}
		s, err := session.Open(p.connect)
		if err != nil {
			t.Fatal(err)
		}
		one := &page{program: s, out: make(chan event, 64), tasks: make(map[string]*task), files: make(map[string]bool)}
		one.ctx, one.cancel = context.WithCancel(t.Context())
		defer one.end()
		start, rounds := time.Now(), 0
		if _, err := one.start(&command{Task: "sample", EveryNS: 1e9}); err != nil {
			t.Fatal(err)
		}
		for e := range one.out {
			if e.Kind == "news" {
				rounds++
			}
			if e.Kind != "ended" {
				continue
			}
			if took := time.Since(start).Round(time.Second); took != time.Minute || rounds != 6 || e.Text == "" {
				t.Errorf("it ended after %v and %d rounds: %q; want a minute, 6 rounds and why", took, rounds, e.Text)
			}
			break
		}
		one.stop("sample")
		if status, err := s.Status(); err != nil || status == nil {
			t.Errorf("the program's status: %v, %v", status, err)
		}
		synctest.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.open != 1 {
			t.Errorf("%d connections are open, want that of the status only", p.open)
		}
	})
}

// What a page has switched on ends with it.
func TestPageCloses(t *testing.T) {
	p := &program{closed: make(chan bool, 100)}
	g := open(t, p)
	g.await("status", "")
	for _, task := range []string{"top", "sample", "watch", "trace", "record"} {
		if status, body := g.ask("start", command{Task: task, Targets: []string{"p.F"}}); status != 200 {
			t.Fatalf("%s: status %d: %s", task, status, body)
		}
	}
	g.stream.Close()
	for range 6 { // of the status, too
		<-p.closed
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open != 0 {
		t.Errorf("%d connections are open, want none", p.open)
	}
}

// A task that is started again takes the place of the one before.
func TestAgain(t *testing.T) {
	p := &program{closed: make(chan bool, 100)}
	g := open(t, p)
	g.await("status", "")
	for range 3 {
		g.ask("start", command{Task: "top", Targets: []string{"@IO"}, EveryNS: 1})
	}
	<-p.closed
	<-p.closed
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open != 2 {
		t.Errorf("%d connections are open, want one for the status and one that counts", p.open)
	}
}

// The page is told that the program has ended.
func TestProgramEnds(t *testing.T) {
	p := &program{closed: make(chan bool, 100)}
	g := open(t, p)
	g.await("status", "")
	p.die()
	if e := g.await("gone", ""); e.Text == "" {
		t.Error("the page is not told why it can't reach the program")
	}
	if status, body := g.ask("start", command{Task: "top"}); status != 500 || !strings.Contains(body, "no such process") {
		t.Errorf("status %d, %s; want that there is no such process", status, body)
	}
}

// Counting without times reads no clock.
func TestCounts(t *testing.T) {
	p := &program{closed: make(chan bool, 100)}
	g := open(t, p)
	for _, count := range []bool{false, true} {
		g.ask("start", command{Task: "top", Targets: []string{"p.F"}, Count: count})
		g.await("begun", "top")
		p.mu.Lock()
		last := slices.IndexFunc(p.requests, func(r control.Request) bool {
			return r.Do == control.DoWatch && r.Watch.Count == count && r.Watch.Waits != count
		})
		p.mu.Unlock()
		if last < 0 {
			t.Errorf("count %v: requests %+v, want one to watch with times or to count", count, p.requests)
		}
	}
}

func TestMistakes(t *testing.T) {
	p := &program{closed: make(chan bool, 100)}
	g := open(t, p)
	for _, test := range []struct {
		command command
		want    string
	}{
		{command{Task: "dance"}, "want sample, top, watch, trace or record"},
		{command{Task: "watch"}, "want a function"},
		{command{Task: "trace", Targets: []string{"p.F"}, MinNS: -1}, "want 0 or more"},
		{command{Task: "watch", Targets: []string{"p.F"}, If: "args[0] >"}, "args[0]"},
		{command{Task: "watch", Targets: []string{"p.F"}, If: "retries > 3"}, "retries"},
		{command{Task: "watch", Targets: []string{"store.go:118"}}, "a line shows its variables"},
		{command{Task: "watch", Targets: []string{"store.go:118"}, If: "f(x)", Values: true}, "function f is not known"},
		{command{Task: "watch", Targets: []string{"nothing"}}, "no such function"},
		{command{Task: "top", Session: "of another page"}, "load the page again"},
	} {
		if status, body := g.ask("start", test.command); status != 400 || !strings.Contains(body, test.want) {
			t.Errorf("%+v: status %d, %s; want 400 with %q", test.command, status, body, test.want)
		}
	}
}

// More pages than a program has connections for are refused.
func TestManyPages(t *testing.T) {
	p := &program{closed: make(chan bool, 100)}
	g := open(t, p)
	for i := 1; i <= mostPages; i++ {
		answer, err := g.client.Get(g.home + "/api/live/events")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if want := map[bool]int{true: 200, false: 500}[i < mostPages]; answer.StatusCode != want {
			t.Errorf("page %d: status %d, want %d", i+1, answer.StatusCode, want)
		}
	}
}
