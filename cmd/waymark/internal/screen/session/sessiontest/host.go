// Package sessiontest has a program for tests to look into, which answers by the real protocol.
//
//	p := sessiontest.New()
//	s, err := session.Open(p.Dial)
package sessiontest

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/program/control"
)

// A Program has two packages, m and m/store, and two groups, all and writes. All its functions make a
// call each time that their numbers are asked for. It has no functions named none. store.go:7 is a line of Get.
type Program struct {
	PID int

	mu     sync.Mutex
	server *control.Server
	conns  []net.Conn
	gone   bool
	begun  []string // what was watched or recorded: kind and targets
	open   int      // tasks
	Calls  chan []control.Call
	Traces chan []control.Trace
}

// Functions are the program's, by package.
var Functions = map[string][]string{"m": {"m.F", "m.main"}, "m/store": {"m/store.Get", "m/store.Put"}}

// New returns a program.
func New() *Program {
	p := &Program{PID: 7, Calls: make(chan []control.Call, 9), Traces: make(chan []control.Trace, 9)}
	p.server = control.NewServer(host{p})
	return p
}

// Dial connects to the program.
func (p *Program) Dial(...string) (*live.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil, fmt.Errorf("there is no process %d", p.PID)
	}
	a, b := net.Pipe()
	p.conns = append(p.conns, b)
	go func() {
		p.server.Serve(b, "test")
		b.Close()
	}()
	return live.Over(a, "test"), nil
}

// Exit ends the program.
func (p *Program) Exit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	p.cut()
}

// Cut ends all connections.
func (p *Program) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut()
}

func (p *Program) cut() {
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// Begun returns what was watched and recorded so far, and how much of that goes on.
func (p *Program) Begun() (list []string, open int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.begun), p.open
}

// A host is the program for a control.Server.
type host struct{ *Program }

func (h host) Status() control.Status {
	return control.Status{PID: h.PID, Program: "/bin/app", UptimeNS: 2e9, Functions: 4, Groups: []string{"all", "writes"}}
}

func (h host) Join() control.Owner                        { return owner{} }
func (h host) Dump() (string, error)                      { return "", errors.New("no window") }
func (h host) See(string) (control.Change, error)         { return control.Change{}, nil }
func (h host) Unsee()                                     {}
func (h host) Calls(control.Query) (*control.Kept, error) { return new(control.Kept), nil }
func (h host) Forget()                                    {}
func (h host) Resume() error                              { return errors.New("it isn't suspended") }
func (h host) CPU() time.Duration                         { return 0 }

func (h host) Audit(control.Request, control.Change, string) {}

type owner struct{}

func (owner) Set([]control.On) error { return nil }

// named returns the functions that targets name.
func named(targets []string) (list []string) {
	for path, functions := range Functions {
		for _, name := range functions {
			for _, t := range targets {
				switch {
				case t == "all", t == path, t == name, t == "@all", t == "@writes" && strings.HasSuffix(name, "Put"), t == "store.go:7" && strings.HasSuffix(name, "Get"):
					list = append(list, name)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (h host) Find(targets []string) (control.Change, error) {
	for _, t := range targets {
		if len(named([]string{t})) == 0 {
			return control.Change{}, &control.Error{Code: control.CodeTarget, Text: t + " names no function that was instrumented"}
		}
	}
	return control.Change{Functions: len(named(targets)), Packages: 1, TookNS: 1000}, nil
}

func (h host) List(targets []string) (*control.List, error) {
	if len(targets) > 0 {
		_, err := h.Find(targets)
		return &control.List{Functions: named(targets)}, err
	}
	return &control.List{
		Groups:   []control.Listed{{Name: "all", Functions: 4, Subgroups: []string{"writes"}}, {Name: "writes", Functions: 1}},
		Packages: []control.Listed{{Name: "m", Functions: 2}, {Name: "m/store", Functions: 2}},
	}, nil
}

func (h host) begin(what string, targets []string, t *task) (control.Task, control.Change, error) {
	c, err := h.Find(targets)
	if err != nil {
		return nil, c, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun = append(h.begun, what+" "+strings.Join(targets, ","))
	h.open++
	t.program = h.Program
	return t, c, nil
}

func (h host) Watch(targets []string, w control.Watch) (control.Task, control.Change, error) {
	kind := w.Kind
	if w.Bare {
		kind = "bare " + kind
	}
	return h.begin(kind, targets, &task{kind: w.Kind, functions: named(targets)})
}

func (h host) Record(r control.Request) (control.Task, control.Change, error) {
	t, c, err := h.begin("record", r.Targets, new(task))
	c.Path = r.Path
	return t, c, err
}

// A task is a watch or a recording.
type task struct {
	program   *Program
	kind      string
	functions []string
	calls     uint64
	once      sync.Once
}

func (t *task) Next() (n control.News) {
	switch t.kind {
	case control.KindSums:
		t.calls++
		for i, name := range t.functions {
			ns := int64(t.calls) * int64(i+1) * 1e6
			n.Functions = append(n.Functions, control.Numbers{Function: name, Calls: t.calls, TotalNS: ns, SelfNS: ns / 2, MinNS: 1, MaxNS: ns, AvgNS: ns,
				Parts: &control.Parts{RunningNS: ns / 2, WaitingNS: ns - ns/2}})
		}
	case control.KindCalls:
		select {
		case n.Calls = <-t.program.Calls:
			t.calls += uint64(len(n.Calls))
		default:
		}
	case control.KindTraces:
		select {
		case n.Traces = <-t.program.Traces:
			t.calls += uint64(len(n.Traces))
		default:
		}
	}
	n.Hits = t.calls
	return n
}

func (t *task) Close() error {
	t.once.Do(func() {
		t.program.mu.Lock()
		defer t.program.mu.Unlock()
		t.program.open--
	})
	return nil
}
