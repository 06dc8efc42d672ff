package expression

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/rt"
)

type user struct {
	ID     int
	Name   string
	Admin  bool
	secret int
	Tags   []string
}

type base struct{ Serial uint16 }

type request struct {
	*base
	User    *user
	Limit   float32
	Wait    time.Duration
	Body    error
	Headers map[string]int
	Queue   chan int
	Sizes   [3]int8
	Done    func()
	Any     any
	Others  []user
	Token   string
}

type named string

type box[T any] struct{ V T }

// oops is an error.
type oops struct{ Code int }

func (o *oops) Error() string { return "oops" }

var one = 1

// sample is the request of the tests.
func sample() *request {
	queue := make(chan int, 3)
	queue <- 1
	return &request{base: &base{7}, User: &user{ID: 42, Name: "Ann", Admin: true, secret: -3}, Limit: 1.5, Wait: 20 * time.Millisecond,
		Headers: map[string]int{"a": 1, "b": 2}, Queue: queue, Sizes: [3]int8{-1, 0, 127}, Any: 3, Others: []user{{ID: 1}, {ID: 2, Tags: []string{"x"}}}}
}

// decide compiles and evaluates an expression, without a signature.
func decide(t *testing.T, text string, args, results []any, facts condition.Facts) (accepted bool, reported error) {
	t.Helper()
	p, err := Compile(text, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if p, err = condition.Decode(p.Append(nil)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	f := condition.NewFilter(p, condition.Function{
		Name: "F", Args: []string{"req", "n", "s", "u", "f", "c", "list", "p", "err", "_", "b"}, Results: []string{"r", "err"},
		Secret: func(name string) bool { return name == "Token" },
		Report: func(err error) { reported = err },
	})
	for range 2 { // once to bind, once bound
		if facts.Slots, accepted = f.Enter(condition.Values{Event: rt.EventOf(args)}); accepted {
			accepted = f.Exit(condition.Values{Event: rt.EventOf(results)}, facts, true)
		}
	}
	return accepted, reported
}

func TestValues(t *testing.T) {
	var none *request
	args := []any{sample(), -5, "hello", uint64(math.MaxUint64), 2.5, 'x', []int{3, 4}, &one, &oops{9}, none, box[named]{"v"}, nil, int8(-8), uint8(200), float32(0.5), uintptr(3), named("n")}
	results := []any{int64(3), error(nil)}
	for text, want := range map[string]bool{
		// Numbers of all widths and signs.
		"args[1] == -5": true, "args.n < 0": true, "args.n < 2.5": true, "args.n > 0": false, "-5 <= args.n": true, "args[1] != -5": false,
		"args.u == 18446744073709551615": true, "args.u > -1": true, "args.u < -1": false, "args.n < args.u": true, "args.u > args.n": true, "args.u <= args.n": false,
		"args.f == 2.5": true, "args.f > 2": true, "args.f > args.n": true, "args.n >= args.f": false, "args.c == 'x'": true, "args[12] == -8": true, "args[13] >= 200": true,
		"args[14] < 1": true, "args[15] == 3": true, "args[12] < args[13]": true, "args.n < 18446744073709551615": true, "args.f < 1e400": true, "args.n == 10 - 15": true,
		// Strings.
		`args.s == "hello"`: true, `args.s != "hello"`: false, `args.s != "hell"`: true, `args.s == ""`: false, `args.s < "help"`: true, `args.s >= "hello"`: true, `"a" < args.s`: true,
		`contains(args.s, "ell")`: true, `contains(args.s, "")`: true, `contains(args.s, "elo")`: false, `startsWith(args.s, "he")`: true, `startsWith(args.s, "hello!")`: false,
		`endsWith(args.s, "lo")`: true, `endsWith(args.s, "hel")`: false, `len(args.s) == 5`: true, `args[16] == "n"`: true, "args.s == `hello`": true, `args.s == "hel" + "lo"`: true,
		// Fields, embedded, behind pointers.
		"args.req.User.ID == 42": true, `args.req.User.Name == "Ann"`: true, "args.req.User.Admin": true, "!args.req.User.Admin": false, "args.req.User.secret == -3": true,
		"args.req.Serial == 7": true, "args.req.base.Serial == 7": true, "args.req.Limit == 1.5": true, "args.req.Wait > 10ms": true, "args.req.Wait == 0.02s": true,
		"(*args.req).User.ID == 42": true, "args.req.Wait < 1m30s && args.req.Wait > 1µs": true, `args.b.V == "v"`: true,
		// Elements.
		"args.list[0] == 3": true, "args.list[1] > args.list[0]": true, "args.list[2] == 0": false, "len(args.list) == 2": true, "args.req.Sizes[2] == 127": true, "len(args.req.Sizes) == 3": true,
		"args.req.Others[1].ID == 2": true, `args.req.Others[1].Tags[0] == "x"`: true, "len(args.req.Others[0].Tags) == 0": true, "args.req.Others[0].Tags == nil": true,
		"len(args.req.Headers) == 2": true, "len(args.req.Queue) == 1": true,
		// nil.
		"args.req != nil": true, "args[9] == nil": true, "args[9] != nil": false, "args.err != nil": true, "args[11] == nil": true, "args[11] != nil": false, "nil == args[11]": true,
		"args.req.Body == nil": true, "args.req.Any != nil": true, "args.req.Done == nil": true, "args.req.Headers != nil": true, "args.p != nil && *args.p == 1": true, "args.err.Code == 9": true,
		"args[9].User.ID == 1": false, "!(args[9].User.ID == 1)": false, "args[9] == nil || args[9].User.ID == 1": true, "args[11].Code == 1": false,
		// Logic.
		"true": true, "!true": false, "args.n < 0 && (args.n > 0 || args.u > 0) && !(args.s == \"x\")": true, "args.n > 0 || args.u == 0 || args.f == 2.5": true,
		"args.n < 0 == true": true, "args.n > 0 != true": true, "true && args.n < 0": true, "false || true": true, "(args.n < 0) == (args.u > 0)": true,
		// The end of the call.
		"duration > 10ms": true, "duration > 2*5ms": true, "duration > 0": true, "duration < 20ms": false, "10ms < duration": true, "goroutine == 0": true, "goroutine != 0": false, "panic != nil": true, "panic == nil": false,
		"results[0] == 3": true, "results.r > 3": false, "results[1] == nil": true, "error": false, "error == nil": true, "!error && results.err == nil": true,
		"args.n < 0 && duration > 10ms": true, "args.n > 0 && duration > 10ms": false, "args.n > 0 || duration > 10ms": true, "args.n > 0 || duration > 1h": false,
		"args.n < 0 || duration > 1h": true, "(args.n > 0 || results.r == 3) && (args.s == \"hello\" || panic == nil)": true, "!(args.n < 0 && duration > 10ms)": false,
		"duration > 1ms || args[9].User.ID == 1": true, "duration > 1h || args[9].User.ID == 1": false, "!(duration > 1h || args[9].User.ID == 1)": false,
	} {
		facts := condition.Facts{Duration: int64(30 * time.Millisecond), Panicked: true}
		if got, _ := decide(t, text, args, results, facts); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// An interface that holds a value other than a nil pointer is not nil, whatever it holds.
func TestInterfaces(t *testing.T) {
	var none *oops
	for _, v := range []any{user{ID: 1}, oops{1}, named("s"), "", 0, 5, 2.5, true, complex(1, 2), [2]int{}, struct{}{}, &oops{}} {
		for text, want := range map[string]bool{"args[0] != nil": true, "args[0] == nil": false, "nil != results[0] && duration >= 0": true, "results[0] == nil": false} {
			if got, err := decide(t, text, []any{v}, []any{v}, condition.Facts{}); got != want || err != nil {
				t.Errorf("%s of %#v: %v, %v, want %v", text, v, got, err, want)
			}
		}
	}
	for _, v := range []any{nil, none, map[string]int(nil)} {
		if got, err := decide(t, "args[0] == nil", []any{v}, nil, condition.Facts{}); !got || err != nil {
			t.Errorf("%#v == nil: %v, %v, want true", v, got, err)
		}
	}
}

// What an operand of || reads need not exist if the operand is skipped. A masked value is never read.
func TestSkipped(t *testing.T) {
	const noField = "args[0] is expression.user, and has no field Code"
	for _, c := range []struct {
		text string
		arg  any
		want bool
		why  string
	}{
		{"args[0].ID > 2 || args[0].Code == 2", user{ID: 3}, true, ""},
		{"args[0].ID > 2 || args[0].Code == 2", user{ID: 1}, false, noField},
		{"args[0].ID > 2 || args[0].Code == 2", oops{2}, false, "args[0] is expression.oops, and has no field ID"},
		{"args[0].ID > 2 || !(args[0].Code == 2 && contains(args[0].Code, \"x\"))", user{ID: 3}, true, ""},
		{"args[0].ID > 2 || args[0].ID && args[0].ID == \"x\"", user{ID: 3}, true, ""},
		{"args[0].ID > 2 || args[0].ID && args[0].ID == \"x\"", user{ID: 1}, false, "args[0].ID is an integer, want a truth value"},
		{"args[0].ID > 2 || contains(args[0].ID, \"x\") || args[0].ID == 1", user{ID: 1}, false, "args[0].ID is an integer, want a string"},
		{"args[0] == nil || args[0].Code == 2", nil, true, ""},
		{"(args[0].ID > 2 || args[0].ID > 1) && args[0].Code == 2", user{ID: 1}, false, noField},
		{"args[0].Limit == 1.5 || args[0].Token == \"x\"", sample(), false, "args[0].Token is masked"},
	} {
		got, err := decide(t, c.text, []any{c.arg}, nil, condition.Facts{})
		if why := fmt.Sprint(err); got != c.want || (c.why == "") != (err == nil) || !strings.Contains(why, c.why) && err != nil {
			t.Errorf("%s of %#v: %v, %v, want %v, %q", c.text, c.arg, got, err, c.want, c.why)
		}
	}
}

// TestErrors has conditions on the last result.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		results []any
		want    bool
	}{
		{nil, false}, {[]any{nil}, false}, {[]any{&oops{}}, true}, {[]any{errors.New("x")}, true}, {[]any{errors.New("x"), 1}, false},
	} {
		if got, err := decide(t, "error", nil, c.results, condition.Facts{}); got != c.want || err != nil {
			t.Errorf("error with results %v: %v, %v, want %v", c.results, got, err, c.want)
		}
	}
}

// TestPlaces has results that are read when a deferred call runs.
func TestPlaces(t *testing.T) {
	n, err, nilErr, p, none := 3, error(&oops{4}), error(nil), sample(), error((*oops)(nil))
	list := []any{&n, &err, &nilErr, &p, &err, &none}
	shape := condition.Shape{Places: true}
	for _, v := range list {
		shape.Types = append(shape.Types, reflect.TypeOf(v))
	}
	for text, want := range map[string]condition.Outcome{
		"results[0] == 3": condition.True, "results[1] != nil": condition.True, "results[2] == nil": condition.True, "results[5] == nil": condition.True, "results[3].User.ID == 42": condition.True,
		"error": condition.True, "results[0] > 3": condition.False, "results[1].Code == 4": condition.Refused,
	} {
		program, wrong := Compile(text, nil)
		if wrong != nil {
			t.Fatal(wrong)
		}
		if got := program.Exit.Bind(shape).Test(condition.Values{Event: rt.EventOf(list)}, condition.Facts{}); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestTypes has a condition meet values of one type after the other.
func TestTypes(t *testing.T) {
	p, err := Compile("args[0] > 5", nil)
	if err != nil {
		t.Fatal(err)
	}
	var reports []string
	f := condition.NewFilter(p, condition.Function{Name: "F", Report: func(err error) { reports = append(reports, err.Error()) }})
	for _, c := range []struct {
		value any
		want  bool
	}{{6, true}, {"x", false}, {6.5, true}, {uint8(3), false}, {nil, false}, {7, true}, {struct{ A int }{9}, false}} {
		if got := f.Accepts(condition.Values{Event: rt.EventOf([]any{c.value})}); got != c.want {
			t.Errorf("%v > 5: %v, want %v", c.value, got, c.want)
		}
	}
	want := "condition args[0] > 5: F: args[0] is a string, and 5 is an integer"
	if len(reports) != 1 || reports[0] != want {
		t.Errorf("reported: %q, want %q", reports, want)
	}
}

// TestRefused has conditions that are refused when they are bound.
func TestRefused(t *testing.T) {
	type inner struct{ Token string }
	type outer struct{ inner }
	args := []any{sample(), 5, "s", outer{}}
	for text, want := range map[string]string{
		"args.req.Nope == 1":    "args.req.User",
		"args.nope == 1":        "there is no argument nope: there are req *expression.request, n int",
		"args[4] == 1":          "there is no argument 4",
		"args.req == 1":         "args.req is a value that may be nil, and 1 is an integer",
		"args[3] == 1":          "args[3] is expression.outer: name one of its fields",
		"args.n.X == 1":         "args.n is int, and has no field X",
		"args.n[1] == 1":        "elements can be asked for of slices and arrays",
		"len(args.n) == 1":      "len(args.n): int has no length",
		"*args.n == 1":          "args.n is int, no pointer",
		"args.n":                "args.n is an integer, want a truth value",
		"args.req.Body.X == 1":  "args.req.Body is an interface, error: it has no field X, only nil can be asked for",
		`args.req.Token == "x"`: "args.req.Token is masked: its name looks like a secret's",
		`args[3].Token == "x"`:  "Token is masked: its name looks like a secret's",
		`args[3].inner == nil`:  "args[3].inner is expression.inner: name one of its fields",
		`args.req.User < nil || 1 < args.n && contains(args.n, "x")`: "nil has no order",
		`contains(args.n, "x")`:          "args.n is an integer, want a string",
		"args.req.Sizes[3] == 1":         "args.req.Sizes has 3 elements, none at 3",
		"args.req.User == args.req.User": "args.req.User is a value that may be nil, and args.req.User is a value that may be nil",
	} {
		p, err := Compile(text, nil)
		if err == nil {
			f := condition.NewFilter(p, condition.Function{Name: "F", Args: []string{"req", "n", "s", "o"}, Secret: func(name string) bool { return name == "Token" },
				Report: func(e error) { err = e }})
			if _, ok := f.Enter(condition.Values{Event: rt.EventOf(args)}); ok {
				t.Errorf("%s: accepted", text)
			}
		}
		if want == "args.req.User" {
			want = "args.req is expression.request, and has no field Nope: there are base, User, Limit"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

// TestFits has conditions on functions of which names are known, and some types.
func TestFits(t *testing.T) {
	f := condition.Function{
		Name: "F", Args: []string{"r", "n", "list", "name", "password"}, ArgTypes: []string{"", "int", "[]byte", "string", "string"},
		Results: []string{"_", "err"}, ResultTypes: []string{"bool", "error"},
		Secret: func(name string) bool { return name == "password" },
	}
	bare := condition.Function{Name: "G"}
	number := condition.Function{Name: "H", Results: []string{"_"}, ResultTypes: []string{"int"}}
	named := condition.Function{Name: "I", Results: []string{"_"}}
	for _, c := range []struct {
		text string
		f    *condition.Function
		want string // "": it fits
	}{
		{"args.n > 1 && len(args.list) == 3 && args.list[2] == 7", &f, ""},
		{"args.r.Any.Field == 1 && contains(args.r.Name, args.name)", &f, ""},
		{"args.r || args.r == nil || *args.r > 2.5", &f, ""},
		{"results[0] && error && results.err.Code == 7", &f, ""},
		{"duration > 1s || panic != nil || goroutine == 7", &bare, ""},
		{"error || duration > 1s", &bare, ""},
		{"error && duration > 1s || panic != nil", &bare, ""},
		{"!error", &bare, ""},
		{"error", &named, ""},
		{"args.nosuch == 1", &f, "there is no argument nosuch: there are r, n int, list []uint8, name string, password string"},
		{"duration > 1s || args.nosuch == 1", &f, "there is no argument nosuch"},
		{"args[5] == 1", &f, "there is no argument 5"},
		{"args.n == \"x\"", &f, "args.n is an integer, and \"x\" is a string"},
		{"args.n.X == 1", &f, "args.n is int, and has no field X"},
		{"args.n", &f, "args.n is an integer, want a truth value"},
		{"startsWith(args.n, \"x\")", &f, "args.n is an integer, want a string"},
		{"len(args.n) > 1", &f, "int has no length"},
		{"args.list[0][1] == 1", &f, "elements can be asked for of slices and arrays"},
		{"args.password == \"x\"", &f, "args.password is masked"},
		{"len(args.password) > 7", &f, "args.password is masked"},
		{"results.n > 1", &f, "there is no result n: there are [0] bool, err"},
		{"results[0] == 1", &f, "results[0] is a truth value, and 1 is an integer"},
		{"args[0] == 1", &bare, "there is no argument 0: there are none (waymark build --args --results makes them known)"},
		{"error", &bare, "it has no results, or none is known (waymark build --results makes them known)"},
		{"error && duration > 1s", &number, "its last result is no error"},
		{"duration > 1s && (error || error && panic != nil)", &number, "its last result is no error"},
	} {
		p, err := Compile(c.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Fits(c.f)
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s of %s: %v, want %s", c.text, c.f.Name, err, c.want)
		}
	}
}

// Of a line, names are those of variables, whatever they mean elsewhere.
func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"retries > 3 && err != nil":          "",
		"len(list) == 2 && list[1].id == 7":  "",
		"r.user == \"me\" || duration > 5ms": "",
		"*p == 1 && goroutine == 3":          "",
		"contains(args, \"x\")":              "",
		"retries":                            "",
		"nil == 3":                           "",
		"f(x)":                               "function f is not known",
		"":                                   "the expression is empty",
	} {
		_, err := CompileLine(text)
		if want == "" && text == "nil == 3" {
			want = "never nil"
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	p, err := CompileLine("args.n > 1 && list[0] == 2")
	if err != nil || !p.AtEnter() || p.Enter[0].Name != "args" || len(p.Enter[0].Steps) != 1 {
		t.Errorf("%+v, %v: want the field n of a variable args", p, err)
	}
	if _, err := Compile("retries > 3", nil); err == nil {
		t.Error("of calls, retries is a name of nothing")
	}
}
