package decide

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/value"
)

type Point struct {
	X, Y int
	Name string
}

// Deep has an X that is embedded deeper than that of the Point.
type Deep struct{ Deeper }

type Deeper struct{ X, Z int }

type outer struct {
	Deep
	*Point
	Inner Point
	List  []Point
}

// of returns a value as it is copied: with what pointers lead to.
func of(v any) value.Value {
	out := value.Of(v, value.Limits{Text: 100, Elements: 10, Nesting: 6}, nil, nil)
	follow(&out, reflect.ValueOf(v))
	return out
}

func follow(out *value.Value, v reflect.Value) {
	switch {
	case !v.IsValid() || out.State != value.Known:
	case v.Kind() == reflect.Pointer && !v.IsNil() && v.Type().Elem().Kind() == reflect.Struct && v.Elem().Field(0).CanInterface():
		out.Elems = []value.Value{of(v.Elem().Interface())}
	case v.Kind() == reflect.Struct:
		for i := range out.Elems {
			follow(&out.Elems[i], v.Field(i))
		}
	}
}

var conditions = []string{
	`args.n == 3`, `args.n > 2 && args.u < 200`, `args.n != args.m`, `args.u >= args.n`, `args.n < -1 || args.s == "b"`, `!(args.b) && args.f > 0.5`,
	`args.f == args.n`, `args.f != 1`, `args.f < args.u`, `args.s > "a"`, `contains(args.s, "lo")`, `startsWith(args.s, "he")`, `endsWith(args.s, "o")`,
	`len(args.s) > 3`, `len(args.l) == 2 && args.l[1] > 4`, `args.l[0] == args.n`, `args.l == nil`, `args.p == nil`, `args.p != nil && args.p.X == 3`,
	`args.t.X > args.t.Y`, `args.t.Name == args.s`, `args.o.Inner.Y == 1`, `args.o.List[0].X == 3`, `args.o.X == 3`, `args.o.Z == 2 && args.n == 3`, `args.e != nil`, `args.e == nil && args.n > 0`,
	`results[0] == 3`, `results[0] > 2 && args.n < 4`, `error`, `!error && args.n == 3`, `duration > 5ms`, `duration <= 5ms && args.s == "hello"`,
	`panic != nil`, `panic == nil && results[0] != 0`, `goroutine == 7`, `goroutine != 7 || args.b`, `args.u == 255`, `args.big > 18446744073709551614`,
	`args.big > args.n`, `args.small == -128`, `args.small < args.u`,
	`args.any != nil`, `args.any == nil || args.n == 3`, `results[1] != nil`, `nil == results[1] && args.n > 0`,
}

// A condition decides alike on copied values and on the program's own.
func TestAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...any) any { return list[random.IntN(len(list))] }
	names := []string{"n", "m", "u", "s", "b", "f", "l", "p", "t", "o", "e", "big", "small", "any"}
	said := make(map[string]map[bool]int)
	for range 500 {
		p := pick((*Point)(nil), &Point{3, 1, "b"}, &Point{0, 0, ""}).(*Point)
		args := []any{pick(-2, 0, 3, 4), pick(3, 4), pick(uint8(0), uint8(3), uint8(255)), pick("", "a", "b", "hello", "lo"), pick(true, false),
			pick(0.0, 1.0, 3.0, -2.5, math.NaN()), pick([]int(nil), []int{}, []int{3, 5}, []int{0, 4}), p,
			pick(Point{1, 2, "a"}, Point{3, 1, "hello"}), outer{Deep{Deeper{9, 2}}, p, Point{3, random.IntN(2), ""}, []Point{{3, 4, ""}}[:random.IntN(2)]},
			pick(nil, errors.New("no"), fmt.Errorf("wrapped")), pick(uint64(1), uint64(math.MaxUint64)), pick(int8(-128), int8(5)),
			pick(nil, 5, "s", true, p, Point{}, [2]int{}, complex(1, 2), Deep{})}
		results := []any{pick(0, 3, 9), pick(nil, errors.New("no"))}
		returned := random.IntN(4) > 0
		facts := Facts{Goroutine: uint64(random.IntN(2) + 6), Duration: pick(int64(1e6), int64(9e6)).(int64), Panicked: !returned, Returned: returned}
		for _, text := range conditions {
			program, err := expression.Compile(text, nil)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			f := condition.NewFilter(program, condition.Function{Name: "f", Args: names, Results: []string{"_", "_"}})
			enter, exit := rt.EventOf(args), rt.EventOf(results)
			if !returned {
				exit = rt.EventOf(nil)
			}
			enter.Goroutine, exit.Goroutine = facts.Goroutine, facts.Goroutine
			slots, want := f.Enter(condition.Values{Event: enter})
			want = want && f.Exit(condition.Values{Event: exit}, condition.Facts{Duration: facts.Duration, Panicked: facts.Panicked, Slots: slots}, returned)

			d := New(program, names, []string{"_", "_"}, true)
			var a, r []value.Value
			for _, v := range args {
				a = append(a, of(v))
			}
			if returned {
				for _, v := range results {
					r = append(r, of(v))
				}
			}
			s, got := d.Enter(a, facts)
			got = got && d.Exit(r, facts, s)
			if got != want {
				t.Errorf("%s of %v, %v, %+v: %t, want %t (%v)", text, args, results, facts, got, want, d.Err)
			}
			if said[text] == nil {
				said[text] = make(map[bool]int)
			}
			said[text][want]++
		}
		if t.Failed() {
			return
		}
	}
	for text, is := range said {
		if is[true] == 0 || is[false] == 0 {
			t.Errorf("%s was %v", text, is)
		}
	}
}

// What was not copied rejects a call, and is said.
func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		text, why string
		v         value.Value
		want      bool
	}{
		{`args.s == "hello"`, "", value.Value{Type: value.Type{Kind: reflect.String}, Text: "hel", Len: 9}, false},
		{`args.s == "help"`, "", value.Value{Type: value.Type{Kind: reflect.String}, Text: "hel", Len: 9}, false},
		{`args.s > "hek"`, "", value.Value{Type: value.Type{Kind: reflect.String}, Text: "hel", Len: 9}, true},
		{`startsWith(args.s, "he")`, "", value.Value{Type: value.Type{Kind: reflect.String}, Text: "hel", Len: 9}, true},
		{`!endsWith(args.s, "x")`, "", value.Value{Type: value.Type{Kind: reflect.String}, Text: "hel", Len: 9}, false},
		{`len(args.s) == 9`, "", value.Value{Type: value.Type{Kind: reflect.String}, Text: "hel", Len: 9}, true},
		{`args.s.X == 1`, "argument s leads deeper than values are copied", value.Value{Type: value.Type{Kind: reflect.Pointer}, Bits: 16}, false},
		{`args.s.X == 1`, "argument s is masked: it looks like a secret", value.Value{State: value.Masked}, false},
		{`len(args.s) == 7`, "argument s is masked: it looks like a secret", value.Value{State: value.Masked}, false},
		{`args.s == nil`, "argument s is masked: it looks like a secret", value.Value{State: value.Masked}, false},
		{`args.s == 1`, "", value.Value{State: value.Unread}, false},
		{`args.s.X == 1`, "argument s is int, and has no field X", value.Value{Type: value.Type{Kind: reflect.Int, Name: "int"}}, false},
	} {
		program, err := expression.Compile(c.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := New(program, []string{"s"}, nil, false)
		_, got := d.Enter([]value.Value{c.v}, Facts{})
		why := ""
		if d.Err != nil {
			why = d.Err.Error()
		}
		if got != c.want || why != c.why {
			t.Errorf("%s: %t, %q; want %t, %q", c.text, got, why, c.want, c.why)
		}
	}
}
