package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A pretended task stands for a recording: fuzzing writes no files.
type pretended struct{}

func (pretended) Next() control.News { return control.News{} }
func (pretended) Close() error       { return nil }

// A harmless program is the live one, but records nothing. It gathers no sums, traces or samples, for which
// it would need the hooks, or a goroutine.
type harmless struct{ *live }

func (h harmless) Watch(targets []string, w control.Watch) (control.Task, control.Change, error) {
	if w.Kind == control.KindSums || w.Kind == control.KindTraces || w.Kind == control.KindSamples {
		c, err := h.Find(targets)
		return pretended{}, c, err
	}
	return h.live.Watch(targets, w)
}

func (h harmless) Record(r control.Request) (control.Task, control.Change, error) {
	c, err := h.Find(r.Targets)
	if err != nil {
		return nil, c, err
	}
	return pretended{}, c, nil
}

// A script is a connection whose client sends messages, each a line of the script, and doesn't look at
// the answers. After each answer, between is called.
type script struct {
	t        testing.TB
	messages bytes.Buffer
	answers  bytes.Buffer
	between  func()
}

func (s *script) Read(b []byte) (int, error) { return s.messages.Read(b) }

func (s *script) Write(b []byte) (int, error) {
	s.answers.Write(b)
	var answer control.Response
	if err := control.Read(&s.answers, &answer); err != nil {
		s.t.Errorf("an answer that is none, %v: %q", err, b)
	}
	if said := answer.Status != nil || answer.Change != nil || answer.News != nil || answer.Calls != nil || answer.List != nil; said == (answer.Error != nil) {
		s.t.Errorf("answer %s, want either an error or what was asked for", b)
	}
	s.between()
	return len(b), nil
}

// send has a server answer messages.
func send(t testing.TB, server *control.Server, lines []byte, between func()) {
	s := &script{t: t, between: between}
	for _, line := range bytes.Split(lines, []byte("\n")) {
		if len(line) == 0 || len(line) > control.MaxMessage {
			continue
		}
		if !json.Valid(line) {
			line, _ = json.Marshal(string(line)) // FuzzRead is about what is no JSON
		}
		if err := control.Write(&s.messages, json.RawMessage(line)); err != nil {
			t.Fatal(err)
		}
	}
	server.Serve(s, "fuzzing")
}

// FuzzRequests sends a program requests, whose functions are called meanwhile. Afterwards, nothing is on
// but what was to be kept, and nothing at all after reset.
func FuzzRequests(f *testing.F) {
	request := func(list ...control.Request) (lines []byte) {
		for _, r := range list {
			if r.Version == 0 {
				r.Version = control.Version
			}
			b, err := json.Marshal(r)
			if err != nil {
				f.Fatal(err)
			}
			lines = append(append(lines, b...), '\n')
		}
		return lines
	}
	only := condition.Program{Text: "args.n > 3 && duration > 0", Enter: condition.Code{
		{Op: condition.Value, Name: "n"}, {Op: condition.Int, Bits: 3}, {Op: condition.Compare, Rel: condition.Greater},
	}, Exit: condition.Code{{Op: condition.Duration}, {Op: condition.Int}, {Op: condition.Compare, Rel: condition.Greater}}}
	next, stop := control.Request{Do: control.DoNext, WaitNS: 1}, control.Request{Do: control.DoStop}
	watch := func(w control.Watch, targets ...string) control.Request {
		return control.Request{Do: control.DoWatch, Targets: targets, ForNS: 1e9, Watch: &w}
	}
	calls := func(q control.Query) control.Request { return control.Request{Do: control.DoCalls, Calls: &q} }
	on := func(r control.Request, targets ...string) control.Request {
		r.Do, r.Targets = control.DoOn, targets
		return r
	}
	do := func(what string) control.Request { return control.Request{Do: what} }
	encoded := only.Append(nil)
	for _, seed := range [][]byte{
		request(do(control.DoStatus), control.Request{Version: 9, Do: control.DoStatus}, do("dance"), do(control.DoDump)),
		request(on(control.Request{}, "m.F", "@G", "/^m/"), control.Request{Do: control.DoOff, Targets: []string{"m.F"}}, do(control.DoReset)),
		request(on(control.Request{Monitor: "print", Keep: true, ForNS: 1}, "m.*"), on(control.Request{Monitor: "record"}, "m.F")),
		request(watch(control.Watch{Kind: control.KindCalls, Keep: true, If: encoded}, "m.F"), next, next, stop,
			calls(control.Query{If: encoded}), calls(control.Query{Numbers: []uint64{1}})),
		request(watch(control.Watch{Kind: control.KindCalls, On: []string{"enter", "panic"}, Limit: 2, MinNS: -1}, "m.F", "m.G"), next, next),
		request(watch(control.Watch{Kind: control.KindStacks, Limit: 1}, "all"), next, next),
		request(watch(control.Watch{Kind: control.KindPeriods}, "m.G"), next, watch(control.Watch{Kind: "dance"}, "m.G"), stop),
		request(watch(control.Watch{Kind: control.KindTraces, Panics: true, Nodes: true}, "m.F"), next, stop),
		request(control.Request{Do: control.DoRecord, Path: "/x", Settings: "overflow=ring"}, next, stop, calls(control.Query{After: 1 << 63})),
		[]byte("{}\n[]\n\"\"\n{\"version\":1,\"do\":\"watch\",\"targets\":[\"\",\"/(/\",\"@\"],\"watch\":null}\nnot JSON"),
	} {
		f.Add(seed)
	}
	reset := request(control.Request{Do: control.DoReset})
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	f.Cleanup(func() { slog.SetDefault(before) })
	f.Fuzz(func(t *testing.T, lines []byte) {
		goroutines := runtime.NumGoroutine()
		before := host
		host = new(fake)
		defer func() { host = before }()
		r := switchtest.Fresh(t)
		switchtest.Said(t)
		sites := switchtest.Functions("m.F", "m.G")
		sites[0].Args = []string{"n", "s"}
		r.Register("m", sites, format.Facility{})
		program := &live{program: "fuzzed"}
		server := control.NewServer(harmless{program})
		call := func() {
			outer := r.Enter("m.F", 7, "text")
			inner := r.Enter("m.G", nil, []any{1, "x"})
			inner.Panic("broken")
			inner.Leave()
			outer.Exit(1, nil)
		}
		send(t, server, lines, call)
		send(t, server, reset, call)
		for _, name := range []string{"m.F", "m.G"} {
			if word := r.Word(name); word != "" {
				t.Errorf("after reset %s is %s", name, word)
			}
		}
		if n := program.Status().Kept; n != 0 {
			t.Errorf("after reset %d calls are kept", n)
		}
		for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > goroutines; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d goroutines, before there were %d", runtime.NumGoroutine(), goroutines)
			}
		}
	})
}
