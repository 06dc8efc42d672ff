package monitor_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"regexp"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/monitor"
	"github.com/waymark-go/waymark/timing"
)

// These tests call monitors themselves, as programs that plain Go builds have no traced
// functions. What the hooks do is tested by the command's script facility.

var (
	inner = waymark.NewGroup("test.inner")
	outer = waymark.NewGroup("test.outer", inner)
)

func TestRegister(t *testing.T) {
	f, g := monitor.NoOp(), monitor.Print(io.Discard)
	for _, factory := range []monitor.Factory{f, g} {
		if err := monitor.Register(inner, factory); err != nil {
			t.Fatal(err)
		}
		if got := monitor.RegisteredFactory(inner); got != factory {
			t.Errorf("registered is %v; want %v", got, factory)
		}
	}
	if got := monitor.RegisteredFactory(outer); got != nil {
		t.Errorf("registered against the other one: %v", got)
	}
	monitor.Clear(inner)
	monitor.Clear(inner)
	if got := monitor.RegisteredFactory(inner); got != nil {
		t.Errorf("cleared: %v", got)
	}
}

// What is nil, or of no use, is refused.
func TestRefused(t *testing.T) {
	bad := waymark.NewGroup("a name")
	for what, c := range map[string]struct {
		err, is error
		text    string
	}{
		"no group":   {monitor.Register(nil, monitor.NoOp()), waymark.ErrNil, "the group is nil"},
		"no factory": {monitor.Register(inner, nil), waymark.ErrNil, "the factory is nil"},
		"a bad name": {monitor.Register(bad, monitor.NoOp()), waymark.ErrName, `group "a name": want a name of letters, digits and _ - . /`},
	} {
		if !errors.Is(c.err, c.is) || c.err.Error() != c.text {
			t.Errorf("%s: %v, want %s", what, c.err, c.text)
		}
	}
}

type pair struct {
	X     int
	Inner struct {
		List []string
		Deep struct{ Deepest struct{ N int } }
	}
}

// lock has a method String that waits.
type lock struct{ N int }

func (lock) String() string { time.Sleep(time.Hour); return "" }

func TestPrint(t *testing.T) {
	var out bytes.Buffer
	m := monitor.Print(&out).Create("example.com/m/p")
	var nilError *twiceError
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "<nil>"}, {true, "true"}, {-3, "-3"}, {uint8(200), "200"}, {1.5, "1.5"}, {float32(0.1), "0.1"}, {2 + 1i, `\(2\+1i\)`},
		{"a\n\"b\"", `"a\\n\\"b\\""`}, {strings.Repeat("ä", 40), `"ä{32}"…\+16`},
		{[]int{1, 2}, `\[1 2\]`}, {[]int(nil), `\[\]`}, {make([]byte, 20), `\[0 0 0 0 0 0 0 0 …\+12\]`}, {[]byte("hello\r\n"), `"hello\\r\\n"`}, {struct{ B []byte }{[]byte("ab")}, `\{B:"ab"\}`},
		{map[string]int{"a": 1}, `map\[…\]`}, {map[string]int(nil), `map\[\]`},
		{pair{X: 1}, `\{X:1 Inner:\{List:\[\] Deep:\{…\}\}\}`}, {&pair{}, `\(\*monitor_test\.pair\)\(0x[0-9a-f]+\)`}, {(*pair)(nil), "<nil>"},
		{errors.New("wrong"), `wrong`}, {nilError, "<nil>"}, {lock{3}, `\{N:3\}`}, {waymark.Masked{}, `\*\*\*`},
		{struct{ User, Password string }{"u", "p"}, `\{User:u Password:\*\*\*\}`}, {panicky{}, `monitor_test.panicky: its Error panics`},
		{make(chan int, 1), `chan int\(len=0 cap=1\)`}, {3 * time.Second, `3s`}, {time.Unix(0, 0), `1970-01-01 00:00:00 \+0000 UTC`}, {context.Background(), `context\.Background`}, {[][]int{{1, 2}, {}}, `\[\[1 2\] \[\]\]`}, {[][][]int{{{1}}}, `\[\[\[…\+1\]\]\]`},
	} {
		out.Reset()
		m.Enter(7, c.value)
		m.Exit(7)
		re := regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{6} \[0\] > p\.#7\(` + c.want + `\)\n`)
		if !re.MatchString(out.String()) {
			t.Errorf("%T: %q; want %s", c.value, out.String(), re)
		}
	}
	out.Reset()
	m.Enter(1, 2, "x")
	m.Info([]any{"odd"}, 1, 3, waymark.End)
	m.Enter(2)
	m.Panic(2, errors.New("boom"))
	m.Panic(2, monitor.Goexit)
	m.Exit(2)
	m.ExitResults(1, 5, nil)
	got := regexp.MustCompile(`(?m)^\S+ \[0\] `).ReplaceAllString(out.String(), "")
	want := `> p.#1(2, "x")
  . p.#3("odd") EXIT
  > p.#2()
  ! p.#2 panics: boom
  ! p.#2 calls runtime.Goexit
  < p.#2
< p.#1 = 5, <nil>
`
	if got != want {
		t.Errorf("printed\n%s; want\n%s", got, want)
	}
}

// panicky is an error whose method panics, as that of an embedded interface without a value does.
type panicky struct{ error }

type twiceError struct{}

func (*twiceError) Error() string { return "must not be called" }

func TestSlog(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	m := monitor.Slog(log).Create("example.com/m/p")
	m.Enter(1, 2, "x")
	m.Info([]any{3}, 1, 4, waymark.Begin)
	m.Panic(1, "boom")
	m.Panic(1, monitor.Goexit)
	m.Exit(1)
	m.ExitResults(1, errors.New("wrong"))
	want := `level=DEBUG msg=enter package=example.com/m/p function=#1 goroutine=0 args.0=2 args.1="\"x\""
level=DEBUG msg=info package=example.com/m/p function=#4 goroutine=0 caller=#1 point=ENTER args.0=3
level=DEBUG msg=panic package=example.com/m/p function=#1 goroutine=0 value="\"boom\""
level=DEBUG msg=goexit package=example.com/m/p function=#1 goroutine=0
level=DEBUG msg=exit package=example.com/m/p function=#1 goroutine=0
level=DEBUG msg=exit package=example.com/m/p function=#1 goroutine=0 results.0=wrong
`
	if out.String() != want {
		t.Errorf("logged\n%s; want\n%s", out.String(), want)
	}
	out.Reset()
	monitor.Slog(slog.New(slog.NewTextHandler(&out, nil))).Create("p").Enter(1)
	if out.Len() > 0 {
		t.Errorf("logged although debug is off: %s", out.String())
	}
}

func TestRuntimeTrace(t *testing.T) {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	m := monitor.RuntimeTrace().Create("example.com/m/p")
	m.Enter(1)
	m.Panic(1, monitor.Goexit)
	m.Panic(1, "boom")
	m.Exit(1)
	trace.Stop()
	for text, want := range map[string]bool{"panic in p.#1": true, `"boom"`: true, "calls runtime.Goexit": true} {
		if got := bytes.Contains(out.Bytes(), []byte(text)); got != want {
			t.Errorf("the trace has %q: %v, want %v", text, got, want)
		}
	}
}

// borrowed claims to be of a kind, as one who embeds the real factory does, too.
type borrowed struct {
	monitor.Factory
	kind string
}

func (b borrowed) Kind() string { return b.kind }

func TestKindOf(t *testing.T) {
	for _, kind := range []string{"Print", "NoOp", "Record", "OperationTracer", "Slog", "RuntimeTrace", "Compose(Print)", "Timing"} {
		if got := monitor.KindOf(borrowed{monitor.NoOp(), kind}); got != "monitor_test.borrowed" {
			t.Errorf("who claims to be %s is %s", kind, got)
		}
		if got := monitor.KindOf(&borrowed{monitor.NoOp(), kind}); got != "*monitor_test.borrowed" {
			t.Errorf("who claims to be %s is %s", kind, got)
		}
	}
	for f, want := range map[monitor.Factory]waymark.ObserverKind{
		monitor.Print(io.Discard): waymark.KindPrint, monitor.NoOp(): waymark.KindNoOp, monitor.Record(): waymark.KindRecord,
		monitor.NewOperationTracer(): waymark.KindOperationTracer, monitor.Slog(nil): waymark.KindSlog,
		monitor.RuntimeTrace(): waymark.KindRuntimeTrace, borrowed{monitor.NoOp(), "own"}: "own",
		timing.Monitor(timing.Default): waymark.KindTiming,
	} {
		if got := monitor.KindOf(f); got != want {
			t.Errorf("kind %s, want %s", got, want)
		}
	}
}

func TestCompose(t *testing.T) {
	var first, second bytes.Buffer
	f := monitor.Compose(monitor.Print(&first), nil, monitor.Print(&second), monitor.Record())
	if kind := monitor.KindOf(f); kind != "Compose(Print, Print, Record)" {
		t.Errorf("kind %s", kind)
	}
	m := f.Create("p")
	m.Enter(1)
	m.Info(nil, 1, 2, waymark.NoPoint)
	m.Panic(1, 3)
	m.ExitResults(1, 4)
	m.Enter(1)
	m.Clear()
	m.Exit(1)
	if first.Len() == 0 || strings.Count(first.String(), "\n") != 6 || first.Len() != second.Len() || m.Package() != "p" {
		t.Errorf("%q, %q", first.String(), second.String())
	}
	if m := monitor.Compose(monitor.Record()).Create("p"); m != nil {
		t.Errorf("of nothing to call: %v", m)
	}
}

func TestOperationTracer(t *testing.T) {
	tracer := monitor.NewOperationTracer()
	m := tracer.Create("example.com/m/p")
	err := errors.New("wrong")
	if got := tracer.Wrap(err); got != err {
		t.Errorf("outside of all operations: %v", got)
	}
	m.Enter(1, "a")
	m.Enter(2)
	if got := tracer.Wrap(nil); got != nil {
		t.Errorf("no error: %v", got)
	}
	if got := tracer.Wrap(err); !errors.Is(got, err) || got.Error() != `wrong (in p.#1("a") > p.#2())` {
		t.Errorf("wrapped: %v", got)
	}
	m.Exit(2)
	m.Info(nil, 1, 2, waymark.NoPoint)
	m.Panic(1, 2)
	if got := tracer.String(); got != `p.#1("a")` {
		t.Errorf("after an exit: %s", got)
	}
	m.Clear()
	m.ExitResults(1, 2)
	if got := tracer.Operations(); len(got) > 0 {
		t.Errorf("cleared: %v", got)
	}
}

func TestFlagGroups(t *testing.T) {
	fs := flag.NewFlagSet("test", flag.ContinueOnError)
	monitor.FlagGroups(fs)
	f := fs.Lookup("trace-test.outer")
	if f == nil || !strings.HasPrefix(f.Usage, "print the calls of the functions in group test.outer, which contains test.inner") {
		t.Fatalf("flag %+v", f)
	}
	if err := fs.Parse([]string{"-trace-test.outer"}); err != nil || monitor.RegisteredFactory(outer) == nil {
		t.Errorf("on: %v", err)
	}
	if err := fs.Parse([]string{"-trace-test.outer=0"}); err != nil || monitor.RegisteredFactory(outer) != nil {
		t.Errorf("off: %v", err)
	}
	fs.SetOutput(io.Discard)
	if err := fs.Parse([]string{"-trace-test.outer=maybe"}); err == nil || monitor.RegisteredFactory(outer) != nil {
		t.Errorf("neither: %v", err)
	}
}
