package probe

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/waymark-go/waymark/internal/testing/switchtest"
)

type simple struct {
	Provider
	start  P0
	Finish P1[int] `probe:"finish"`
	//lint:ignore U1000 It is there to be no probe.
	other int `probe:"-"`
	_     int
}

// register registers a provider until the test ends. It must succeed.
func register(t *testing.T, p Interface, factories ...Factory) {
	t.Helper()
	if err := Register(p, factories...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Dispose() })
}

// collect returns the factory of a sink that appends a line for each firing.
func collect(list *[]string) Factory {
	return Func(func(p *Probe, args []any) { *list = append(*list, fmt.Sprint(p.Name(), args)) })
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestProvider(t *testing.T) {
	var got []string
	var p simple
	p.start.Fire() // nobody has registered it
	want(t, "Enabled before Register", p.start.Enabled(), false)
	want(t, "Probes before Register", len(p.Probes()), 0)
	register(t, &p, collect(&got))
	p.start.Fire()
	p.Finish.Fire(3)
	want(t, "firings", got, []string{"start[]", "finish[3]"})
	want(t, "Enabled", p.start.Enabled() && p.Finish.Enabled(), true)
	var names []string
	for _, one := range p.Probes() {
		names = append(names, one.String())
	}
	want(t, "probes", names, []string{"simple:::start", "simple:::finish"})
	finish := p.Probe("finish")
	want(t, "an unknown probe", p.Probe("Finish"), (*Probe)(nil))
	want(t, "Trigger", finish.Trigger(4), nil)
	want(t, "firings", got[2:], []string{"finish[4]"})
	if err := p.Dispose(); err != nil {
		t.Error(err)
	}
	p.start.Fire()
	p.Finish.Fire(5)
	want(t, "Trigger after Dispose", finish.Trigger(6), nil)
	want(t, "firings after Dispose", len(got), 3)
	want(t, "Enabled after Dispose", p.start.Enabled() || finish.Enabled(), false)
	want(t, "Dispose again", p.Dispose(), nil)
	register(t, &p, collect(&got))
	p.Finish.Fire(7)
	want(t, "firings after Register again", got[3:], []string{"finish[7]"})
}

func TestTags(t *testing.T) {
	type tagged struct {
		Provider `probe:"shop,module=orders" stability:"provider=Stable/Evolving/Common, args=standard/PRIVATE/isa"`
		A        P0 `probe:",function=serve"`
		B        P1[string]
	}
	p := tagged{}
	register(t, &p, NoOp())
	d, ok := p.Description()
	want(t, "Description", d, Description{
		Name: "shop", Module: "orders",
		Stability: AttributeSets{Provider: Attributes{Stable, Evolving, Common}, Args: Attributes{Standard, Private, ISA}},
		Probes:    []ProbeDescription{{Name: "A", Function: "serve"}, {Name: "B", Args: []string{"string"}}},
	})
	want(t, "registered", ok, true)
	want(t, "Providers", Providers(), []Description{d})
	want(t, "the default attributes", Attributes{}.String(), "Private/Private/Unknown")
	second := tagged{Provider: Named("second")}
	register(t, &second, NoOp())
	want(t, "the name of Named", second.Probe("A").Provider(), "second")
}

func TestBadProviders(t *testing.T) {
	type noProbe struct {
		Provider
		Count int
	}
	type twice struct {
		Provider
		A P0
		B P1[int] `probe:"A"`
	}
	type badTag struct {
		Provider
		A P0 `probe:"a,module=m"`
	}
	type badStability struct {
		Provider `stability:"provider=Solid/Stable/Common"`
	}
	type badSet struct {
		Provider `stability:"name=Stable/Stable/Common,kind=Stable/Stable/Common"`
	}
	type inner struct{ *simple }
	for _, c := range []struct {
		p    Interface
		err  error
		as   any
		text string
	}{
		{&noProbe{}, ErrField, new(*FieldError), `provider probe.noProbe, field Count int: no probe: want a type from probe.P0 to probe.P12, or the tag probe:"-" for a field that is something else`},
		{&twice{}, ErrDuplicate, new(*DuplicateError), "provider probe.twice: the fields A and B are both probes A: give one of them another name, with a tag"},
		{&badTag{}, ErrField, new(*FieldError), `has module=m, want NAME,function=NAME`},
		{&badStability{}, ErrField, new(*FieldError), `"Solid/Stable/Common" are no attributes: want NAME/DATA/DEPENDENCY`},
		{&badSet{}, ErrField, new(*FieldError), `has "kind", want provider, module, function, name or args`},
		{nil, ErrProvider, new(*ProviderError), "provider nil: no provider"},
		{(*simple)(nil), ErrProvider, new(*ProviderError), "provider *probe.simple: no provider"},
		{&Provider{}, ErrProvider, new(*ProviderError), "no provider"},
		{inner{&simple{}}, ErrProvider, new(*ProviderError), "no provider"},
		{&struct {
			Provider
			A P0
		}{}, ErrName, new(*ProviderError), "it has no name"},
	} {
		err := Register(c.p, NoOp())
		if !errors.Is(err, c.err) || !errors.As(err, c.as) || !strings.Contains(err.Error(), strings.TrimPrefix(c.text, "it ")) {
			t.Errorf("%T: got %v, want a %T with %q", c.p, err, c.as, c.text)
		}
	}
	var p, q simple
	register(t, &p, NoOp())
	if err := Register(&p, NoOp()); !errors.Is(err, ErrRegistered) {
		t.Errorf("the same provider: %v, want ErrRegistered", err)
	}
	if err := Register(&q, NoOp()); !errors.Is(err, ErrDuplicate) {
		t.Errorf("another provider of the same name: %v, want ErrDuplicate", err)
	}
	q.Finish.Fire(1) // nothing happens
	p.Dispose()
	if err := Register(&q, NoOp()); err != nil {
		t.Errorf("the other provider, when the first one is gone: %v", err)
	}
	q.Dispose()
}

// bad is the factory of a sink that can't be had.
var bad = one("Bad", func(*live) (sink, error) { return nil, errors.New("none left") })

func TestOtherSinksGoOn(t *testing.T) {
	var got []string
	var p simple
	err := Register(&p, bad, collect(&got), bad)
	defer p.Dispose()
	var sinkError *SinkError
	if !errors.As(err, &sinkError) || sinkError.Sink != "Bad" || err.Error() != "provider simple, Bad: none left\nprovider simple, Bad: none left" {
		t.Errorf("got %v, want two SinkErrors of Bad", err)
	}
	p.start.Fire()
	want(t, "firings", got, []string{"start[]"})
}

func TestTriggerArguments(t *testing.T) {
	type mixed struct {
		Provider
		A P3[int, error, *int]
	}
	var got []string
	var p mixed
	register(t, &p, collect(&got))
	a := p.Probe("A")
	for text, args := range map[string][]any{
		"2 arguments, want 3":                      {1, nil},
		"argument 0 is of type int64, want int":    {int64(1), nil, nil},
		"argument 1 is of type string, want error": {1, "x", nil},
		"argument 2 is of type <nil>, want *int":   {1, nil, nil},
	} {
		err := a.Trigger(args...)
		var wrong *ArgumentError
		if !errors.As(err, &wrong) || wrong.Reason != text {
			t.Errorf("%v: got %v, want an ArgumentError with %q", args, err, text)
		}
	}
	want(t, "Trigger", a.Trigger(1, nil, (*int)(nil)), nil)
	want(t, "Trigger", a.Trigger(2, errors.New("x"), (*int)(nil)), nil)
	want(t, "firings", got, []string{"A[1 <nil> <nil>]", "A[2 x <nil>]"})
}

func TestPrint(t *testing.T) {
	type printed struct {
		Provider
		A P4[string, []int, error, bool]
	}
	var b bytes.Buffer
	var p printed
	register(t, &p, Print(&b))
	p.A.Fire("a\n", []int{1, 2}, errors.New("broken"), true)
	want(t, "printed", b.String(), "printed.A(\"a\\n\", [1 2], broken, true)\n")
}

func TestSlog(t *testing.T) {
	var b bytes.Buffer
	level := new(slog.LevelVar)
	logger := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	var p simple
	register(t, &p, Slog(logger, slog.LevelInfo))
	p.Finish.Fire(3)
	want(t, "Enabled", p.Finish.Enabled(), true)
	level.Set(slog.LevelWarn)
	p.Finish.Fire(4)
	want(t, "Enabled below the level", p.Finish.Enabled(), false)
	want(t, "logged", b.String(), "level=INFO msg=simple.finish arg0=3\n")
}

func TestRuntimeTrace(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("the test itself is traced")
	}
	var p simple
	register(t, &p, RuntimeTrace())
	want(t, "Enabled without a trace", p.Finish.Enabled(), false)
	p.Finish.Fire(1)
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Skip(err)
	}
	want(t, "Enabled", p.Finish.Enabled(), true)
	p.Finish.Fire(271828)
	trace.Stop()
	for _, text := range []string{"simple.finish", "271828"} {
		if !bytes.Contains(b.Bytes(), []byte(text)) {
			t.Errorf("the trace of %d bytes has no %q", b.Len(), text)
		}
	}
}

func TestFuncPanics(t *testing.T) {
	said := switchtest.Said(t)
	var got []string
	var p simple
	calls := 0
	register(t, &p, Func(func(*Probe, []any) { calls++; panic("no") }), collect(&got), Func(nil))
	p.start.Fire()
	p.start.Fire()
	want(t, "calls", calls, 1)
	want(t, "firings for the other one", len(got), 2)
	want(t, "said", *said, []string{"probe simple:::start: Func has panicked and is told nothing any more: no"})
}

// Whatever else panics in a sink is not the program's either.
func TestSinksPanic(t *testing.T) {
	said := switchtest.Said(t)
	type failing struct {
		Provider
		A P1[error]
	}
	var p failing
	register(t, &p, Print(writerFunc(func([]byte) (int, error) { panic("full") })), Slog(slog.New(slog.NewTextHandler(writerFunc(func([]byte) (int, error) { panic("gone") }), nil)), 0))
	p.A.Fire(nil)
	p.A.Fire(nil)
	want(t, "said", *said, []string{"probe failing:::A: Print has panicked and is told nothing any more: full", "probe failing:::A: Slog has panicked and is told nothing any more: gone"})
	want(t, "Enabled", p.A.Enabled(), false)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestNoOp(t *testing.T) {
	var p simple
	register(t, &p, NoOp())
	p.start.Fire()
	want(t, "Enabled", p.start.Enabled(), false)
	want(t, "Factory{}", len(Factory{}.makers), len(NoOp().makers))
}

// A probe at which nobody looks allocates nothing, whatever its arguments. Neither does Enabled.
func TestOffAllocates(t *testing.T) {
	type many struct {
		Provider
		A P0
		B P12[int, string, float64, error, []int, *int, bool, any, int8, struct{ x, y int }, map[int]int, uint]
	}
	var p many
	var text = strings.Repeat("x", 10)
	check := func(when string) {
		t.Helper()
		if n := testing.AllocsPerRun(100, func() {
			p.A.Fire()
			p.B.Fire(1<<30, text, 1.5, nil, nil, nil, true, nil, 1, struct{ x, y int }{1, 2}, nil, 3)
			p.A.Enabled()
		}); n != 0 {
			t.Errorf("%s: %v allocations, want 0", when, n)
		}
	}
	check("not registered")
	register(t, &p, NoOp())
	check("nobody looks")
	p.Dispose()
	if usdtSupported {
		if err := Register(&p, USDT()); err != nil {
			t.Log(err)
		}
		check("no tracer is attached")
	}
}

// Words are what tracers are told.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		arg    argument
		value  unsafe.Pointer
		size   int
		signed bool
		word   uint64
	}{
		wordOf(int8(math.MinInt8), 1, true, 0xffffffffffffff80), wordOf(int8(math.MaxInt8), 1, true, 0x7f),
		wordOf(int16(math.MinInt16), 2, true, 0xffffffffffff8000), wordOf(int16(math.MaxInt16), 2, true, 0x7fff),
		wordOf(int32(math.MinInt32), 4, true, 0xffffffff80000000), wordOf(int32(math.MaxInt32), 4, true, 0x7fffffff),
		wordOf(int64(math.MinInt64), 8, true, 1<<63), wordOf(int64(math.MaxInt64), 8, true, 1<<63-1),
		wordOf(-1, int(unsafe.Sizeof(0)), true, math.MaxUint64),
		wordOf(uint8(math.MaxUint8), 1, false, 0xff), wordOf(uint16(math.MaxUint16), 2, false, 0xffff),
		wordOf(uint32(math.MaxUint32), 4, false, 0xffffffff), wordOf(uint64(math.MaxUint64), 8, false, math.MaxUint64),
		wordOf(uint(7), int(unsafe.Sizeof(0)), false, 7), wordOf(uintptr(8), int(unsafe.Sizeof(0)), false, 8),
		wordOf(true, 1, false, 1), wordOf(false, 1, false, 0),
		wordOf(float32(1.5), 4, false, uint64(math.Float32bits(1.5))), wordOf(math.Inf(-1), 8, false, math.Float64bits(math.Inf(-1))),
		wordOf(kelvin(-2.5), 8, false, math.Float64bits(-2.5)),
		wordOf("text", 8, false, 0), wordOf([]int{1}, 8, false, 0), wordOf(any(1), 8, false, 0), wordOf(new(int), 8, false, 0),
	} {
		if c.arg.size != c.size || c.arg.signed != c.signed {
			t.Errorf("%s: %d bytes, signed %v; want %d, %v", c.arg.typ, c.arg.size, c.arg.signed, c.size, c.signed)
		}
		if got := c.arg.word(c.value); got != c.word {
			t.Errorf("%s: the word is %#x, want %#x", c.arg.typ, got, c.word)
		}
	}
}

type kelvin float64

func wordOf[A any](v A, size int, signed bool, word uint64) struct {
	arg    argument
	value  unsafe.Pointer
	size   int
	signed bool
	word   uint64
} {
	return struct {
		arg    argument
		value  unsafe.Pointer
		size   int
		signed bool
		word   uint64
	}{argumentOf[A](), unsafe.Pointer(&v), size, signed, word}
}

// All numbers of arguments are told right, while the stack grows and moves.
func TestArities(t *testing.T) {
	type all struct {
		Provider
		A0  P0
		A1  P1[int]
		A2  P2[int, string]
		A3  P3[int, string, bool]
		A4  P4[int, string, bool, int8]
		A5  P5[int, string, bool, int8, float64]
		A6  P6[int, string, bool, int8, float64, *int]
		A7  P7[int, string, bool, int8, float64, *int, uint16]
		A8  P8[int, string, bool, int8, float64, *int, uint16, error]
		A9  P9[int, string, bool, int8, float64, *int, uint16, error, []int]
		A10 P10[int, string, bool, int8, float64, *int, uint16, error, []int, any]
		A11 P11[int, string, bool, int8, float64, *int, uint16, error, []int, any, int32]
		A12 P12[int, string, bool, int8, float64, *int, uint16, error, []int, any, int32, string]
	}
	var p all
	var got []string
	register(t, &p, Func(func(p *Probe, args []any) {
		grow(100)
		if len(args) > 5 {
			args[5] = *args[5].(*int)
		}
		got = append(got, fmt.Sprint(p.Name(), args))
	}))
	n := 6
	e := errors.New("e")
	done := make(chan bool)
	go func() { // with a small stack
		defer close(done)
		p.A0.Fire()
		p.A1.Fire(1)
		p.A2.Fire(1, "2")
		p.A3.Fire(1, "2", true)
		p.A4.Fire(1, "2", true, 4)
		p.A5.Fire(1, "2", true, 4, 5.5)
		p.A6.Fire(1, "2", true, 4, 5.5, &n)
		p.A7.Fire(1, "2", true, 4, 5.5, &n, 7)
		p.A8.Fire(1, "2", true, 4, 5.5, &n, 7, e)
		p.A9.Fire(1, "2", true, 4, 5.5, &n, 7, e, []int{9})
		p.A10.Fire(1, "2", true, 4, 5.5, &n, 7, e, []int{9}, 'x')
		p.A11.Fire(1, "2", true, 4, 5.5, &n, 7, e, []int{9}, 'x', 11)
		p.A12.Fire(1, "2", true, 4, 5.5, &n, 7, e, []int{9}, 'x', 11, "12")
	}()
	<-done
	last := "[1 2 true 4 5.5 6 7 e [9] 120 11 12]"
	fields := []string{"1", "2", "true", "4", "5.5", "6", "7", "e", "[9]", "120", "11", "12"}
	want(t, "firings", len(got), 13)
	for i, line := range got {
		want(t, "a firing", line, fmt.Sprintf("A%d[%s]", i, strings.Join(fields[:i], " ")))
	}
	want(t, "the last one", strings.TrimPrefix(got[12], "A12"), last)
}

//go:noinline
func grow(n int) int {
	var room [256]byte
	if n > 0 {
		return grow(n-1) + int(room[n%256])
	}
	return 0
}

// Goroutines fire while the provider is registered and disposed of, again and again.
func TestDisposeWhileFiring(t *testing.T) {
	var p simple
	stop := make(chan bool)
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				p.Finish.Fire(n)
				p.start.Enabled()
				runtime.Gosched()
			}
		}()
	}
	var mu sync.Mutex
	live, wrong, calls := false, 0, 0
	sink := Func(func(*Probe, []any) {
		mu.Lock()
		defer mu.Unlock()
		calls++
		if !live {
			wrong++
		}
	})
	for i := 0; i < 50; i++ {
		mu.Lock()
		live = true
		mu.Unlock()
		err := Register(&p, DefaultFactory(), sink)
		var sinkError *SinkError
		if err != nil && !errors.As(err, &sinkError) {
			t.Fatal(err)
		}
		for mu.Lock(); calls <= i; mu.Lock() {
			mu.Unlock()
			runtime.Gosched()
		}
		mu.Unlock()
		if err := p.Dispose(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	if wrong > 0 {
		t.Errorf("%d firings before the provider was registered", wrong)
	}
	want(t, "firings afterwards", p.Finish.Enabled(), false)
}
