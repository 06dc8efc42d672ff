package condition

import (
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// sample is args[0] > 10 && args.name == "x" || duration > 5 && !failed.
func sample() *Program {
	return &Program{
		Text:  "sample",
		Enter: Code{{Op: Value}, {Op: Int, Bits: 10}, {Op: Compare, Rel: Greater}, {Op: And, Skip: 3}, {Op: Value, Name: "name", Steps: []Step{{Kind: Field, Name: "F"}, {Kind: Elem, Index: 2}, {Kind: Deref}}}, {Op: Text, Text: "x"}, {Op: Compare, Rel: Equal}},
		Slots: []Code{{{Op: Goroutine}, {Op: Uint, Bits: 1 << 63}, {Op: Compare, Rel: Less | Equal}}},
		Exit:  Code{{Op: Duration}, {Op: Float, Bits: bits(2.5)}, {Op: Compare, Rel: Greater}, {Op: Or, Skip: 2}, {Op: Slot}, {Op: Not}, {Op: And, Skip: 3}, {Op: Value, Root: Result, Index: 1, Steps: []Step{{Kind: Len}}}, {Op: Nil}, {Op: Compare, Rel: Equal}},
	}
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	got, err := Decode(want.Append(nil))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decoded: %+v, %v\nwant %+v", got, err, want)
	}
	if encoded := want.Append(nil); len(encoded) > 0 {
		for n := range encoded {
			if p, err := Decode(encoded[:n]); err == nil {
				t.Errorf("the first %d of %d bytes decode to %+v", n, len(encoded), p)
			}
		}
	}
}

func TestVerify(t *testing.T) {
	value, one, equal := Instruction{Op: Value}, Instruction{Op: Int, Bits: 1}, Instruction{Op: Compare, Rel: Equal}
	truth := Instruction{Op: Bool, Bits: 1}
	for name, c := range map[string]struct {
		p    Program
		good bool
	}{
		"empty":             {Program{}, true},
		"comparison":        {Program{Enter: Code{value, one, equal}}, true},
		"one operand":       {Program{Enter: Code{value, equal}}, false},
		"two left":          {Program{Enter: Code{value, one}}, false},
		"none left":         {Program{Enter: Code{truth, {Op: And, Skip: 1}}}, false},
		"jump to the end":   {Program{Enter: Code{truth, {Op: And, Skip: 1}, truth}}, true},
		"jump too far":      {Program{Enter: Code{truth, {Op: And, Skip: 2}, truth}}, false},
		"jump nowhere":      {Program{Enter: Code{truth, {Op: And}, truth}}, false},
		"jump of a depth":   {Program{Enter: Code{truth, {Op: And, Skip: 2}, value, one, equal}}, false},
		"result at enter":   {Program{Enter: Code{{Op: Value, Root: Result}, one, equal}}, false},
		"argument at exit":  {Program{Exit: Code{value, one, equal}}, false},
		"duration at enter": {Program{Enter: Code{{Op: Duration}, one, equal}}, false},
		"no such slot":      {Program{Exit: Code{{Op: Slot}}}, false},
		"empty slot":        {Program{Slots: []Code{nil}}, false},
		"behind a length":   {Program{Enter: Code{{Op: Value, Steps: []Step{{Kind: Len}, {Kind: Deref}}}, one, equal}}, false},
		"no instruction":    {Program{Enter: Code{{Op: 99}}}, false},
		"deep":              {Program{Enter: Code{one, one, one, one, one, one, one, one, one}}, false},
	} {
		if err := c.p.Verify(); (err == nil) != c.good {
			t.Errorf("%s: %v, want good %v", name, err, c.good)
		}
	}
}

// FuzzDecode looks for programs that are verified, and that Bind or Test can't do.
func FuzzDecode(f *testing.F) {
	f.Add(sample().Append(nil))
	type inner struct{ F []*string }
	x := "x"
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Decode(p.Append(nil))
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("encoded and decoded again: %+v, %v\nwant %+v", again, err, p)
		}
		filter := NewFilter(p, Function{Args: []string{"n", "name"}, Results: []string{"r", "err"}})
		for _, args := range [][]any{{20, &inner{[]*string{nil, nil, &x}}}, {nil, (*inner)(nil)}, {1.5, inner{}}, {}} {
			facts := Facts{Duration: 7}
			filter.Accepts(Values{Event: rt.EventOf(args)})
			var ok bool
			if facts.Slots, ok = filter.Enter(Values{Event: rt.EventOf(args)}); ok {
				filter.Exit(Values{Event: rt.EventOf([]any{map[string]int{"a": 1}, error(nil)})}, facts, true)
				filter.Exit(Values{Event: rt.EventOf(nil)}, facts, false)
			}
		}
	})
}
