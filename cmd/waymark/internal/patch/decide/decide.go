// Package decide evaluates conditions on calls by values that were copied, for programs that waymark has not built. Package
// condition does it in the program, where the values are. Both come to the same result, but for what was not copied: a
// condition that needs it rejects the call.
//
//	d := decide.New(program, args, results)
//	if slots, ok := d.Enter(values, facts); ok { ... }
package decide

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/value"
)

// A Decider decides on the calls of a function.
type Decider struct {
	Err error // why the condition can't be evaluated on a value, the first time that this came to pass

	program       *condition.Program
	args, results []string
	fails         bool // the last result is an error
}

// Facts are what conditions may ask for beside values.
type Facts struct {
	Goroutine uint64
	Duration  int64 // ns
	Panicked  bool
	Returned  bool
}

// Slots are what was decided where a call began, for where it ends.
type Slots struct{ yes, refused uint64 }

// New makes a decider of a function whose arguments and results have these names; _: it has none. fails says that its last
// result is an error.
func New(p *condition.Program, args, results []string, fails bool) *Decider {
	return &Decider{program: p, args: args, results: results, fails: fails}
}

// Enter reports whether a call may be accepted that begins: it is, if the program says AtEnter.
func (d *Decider) Enter(args []value.Value, f Facts) (s Slots, ok bool) {
	on := call{d: d, values: args, names: d.args, facts: f}
	if len(d.program.Enter) > 0 && on.evaluate(d.program.Enter) != yes {
		return s, false
	}
	for i, c := range d.program.Slots {
		switch on.evaluate(c) {
		case yes:
			s.yes |= 1 << i
		case refused:
			s.refused |= 1 << i
		}
	}
	return s, true
}

// Exit reports whether a call is accepted that has ended.
func (d *Decider) Exit(results []value.Value, f Facts, s Slots) bool {
	on := call{d: d, values: results, names: d.results, facts: f, slots: s, absent: !f.Returned}
	return d.program.AtEnter() || on.evaluate(d.program.Exit) == yes
}

type outcome uint8

const (
	no outcome = iota
	yes
	refused // a value isn't known
)

// A call is what a code is evaluated on.
type call struct {
	d      *Decider
	values []value.Value
	names  []string
	facts  Facts
	slots  Slots
	absent bool // there are no results
	stack  []operand
}

// An operand is a number, a text, a truth value or whether something is nil.
type operand struct {
	kind    kind
	bits    uint64 // of a float: its own
	text    string
	missing bool // the text goes on
	null    bool // it is the nil of the condition
}

type kind uint8

const (
	integer   kind = iota
	unsigned       //
	float          //
	text           //
	truth          // 1: true
	reference      // 0: it is nil
)

func (c *call) push(k kind, bits uint64) { c.stack = append(c.stack, operand{kind: k, bits: bits}) }

func (c *call) pop() operand {
	o := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	return o
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (c *call) evaluate(code condition.Code) outcome {
	c.stack = c.stack[:0]
	for i := 0; i < len(code); i++ {
		in := &code[i]
		switch in.Op {
		case condition.Value:
			o, ok := c.value(in, code.ComparesNil(i))
			if !ok {
				return refused
			}
			c.stack = append(c.stack, o)
		case condition.Int:
			c.push(integer, in.Bits)
		case condition.Uint:
			c.push(unsigned, in.Bits)
		case condition.Float:
			c.push(float, in.Bits)
		case condition.Text:
			c.stack = append(c.stack, operand{kind: text, text: in.Text})
		case condition.Bool:
			c.push(truth, in.Bits)
		case condition.Nil:
			c.stack = append(c.stack, operand{kind: reference, null: true})
		case condition.Duration:
			c.push(integer, uint64(c.facts.Duration))
		case condition.Goroutine:
			c.push(unsigned, c.facts.Goroutine)
		case condition.Panicked:
			c.push(truth, bit(c.facts.Panicked))
		case condition.Failed:
			failed, known := c.failed()
			if !known {
				return refused
			}
			c.push(truth, bit(failed))
		case condition.Slot:
			if c.slots.refused>>in.Index&1 != 0 {
				return refused
			}
			c.push(truth, c.slots.yes>>in.Index&1)
		case condition.Compare, condition.Find:
			y, x := c.pop(), c.pop()
			is, known := false, false
			if in.Op == condition.Compare {
				is, known = c.compare(x, y, in.Rel)
			} else {
				is, known = find(x, y, in.Find)
			}
			if !known {
				return refused
			}
			c.push(truth, bit(is))
		case condition.Not:
			if !c.isTruth() {
				return refused
			}
			c.push(truth, c.pop().bits&1^1)
		case condition.And, condition.Or:
			if !c.isTruth() {
				return refused
			}
			if c.stack[len(c.stack)-1].bits&1 == bit(in.Op == condition.Or) {
				i += in.Skip
			} else {
				c.pop()
			}
		}
	}
	if !c.isTruth() {
		return refused
	}
	return outcome(c.pop().bits & 1)
}

// isTruth reports whether the top is a truth value.
func (c *call) isTruth() bool {
	top := c.stack[len(c.stack)-1].kind
	if top != truth {
		c.fail("a %s is no truth value", top)
	}
	return top == truth
}

// failed reports whether the last result is an error; known is false if it isn't known.
func (c *call) failed() (failed, known bool) {
	if c.absent || !c.d.fails {
		return false, true
	}
	if len(c.values) == 0 || len(c.values) < len(c.names) {
		return false, false
	}
	last := &c.values[len(c.values)-1]
	return last.State != value.Nil, last.State != value.Masked
}

// fail notes why a value can't be had.
func (c *call) fail(format string, args ...any) {
	if c.d.Err == nil {
		c.d.Err = fmt.Errorf(format, args...)
	}
}

// value returns the value that in reads. nilOnly: it is compared with nil.
func (c *call) value(in *condition.Instruction, nilOnly bool) (o operand, ok bool) {
	i, what := in.Index, fmt.Sprintf("%s %d", in.Root, in.Index)
	if in.Name != "" {
		what = in.Root.String() + " " + in.Name
		for i = 0; i < len(c.names) && c.names[i] != in.Name; i++ {
		}
	}
	if c.absent {
		return o, false
	}
	if i >= len(c.values) {
		if i >= len(c.names) {
			c.fail("there is no %s: there are %s", what, strings.Join(c.names, ", "))
		}
		return o, false
	}
	v := &c.values[i]
	for _, s := range in.Steps {
		if s.Kind == condition.Len {
			return c.length(v, what)
		}
		if v = c.step(v, s, what); v == nil {
			return o, false
		}
	}
	return c.load(v, what, nilOnly && len(in.Steps) == 0)
}

// masked reports whether a value is masked, and notes it.
func (c *call) masked(v *value.Value, what string) bool {
	if v.State == value.Masked {
		c.fail("%s is masked: it looks like a secret", what)
	}
	return v.State == value.Masked
}

// step returns the part of a value that a step leads to; nil: it isn't known, or there is none.
func (c *call) step(v *value.Value, s condition.Step, what string) *value.Value {
	if c.masked(v, what) {
		return nil
	}
	if v.Type.Kind == reflect.Pointer && v.State == value.Known {
		if len(v.Elems) == 0 {
			if !v.IsNil {
				c.fail("%s leads deeper than values are copied", what)
			}
			return nil
		}
		v = &v.Elems[0]
	} else if s.Kind == condition.Deref {
		c.fail("%s is no pointer", what)
		return nil
	}
	if v.State != value.Known {
		return nil
	}
	switch s.Kind {
	case condition.Field:
		if v.Type.Kind != reflect.Struct {
			c.fail("%s is %s, and has no field %s", what, v.Type.Name, s.Name)
			return nil
		}
		f := field(v, s.Name)
		if f == nil {
			c.fail("%s is %s, and has no field %s that is known", what, v.Type.Name, s.Name)
		}
		return f
	case condition.Elem:
		if s.Index < len(v.Elems) && (v.Type.Kind == reflect.Slice || v.Type.Kind == reflect.Array) {
			return &v.Elems[s.Index]
		}
		if s.Index < len(v.Bytes) {
			b := value.Value{Bits: uint64(v.Bytes[s.Index])}
			b.Type.Kind = reflect.Uint8
			return &b
		}
		return nil
	}
	return v
}

// field returns a field, of several with its name the one that is embedded least deep; nil: it isn't known.
func field(v *value.Value, name string) *value.Value {
	for level := []*value.Value{v}; len(level) > 0; {
		var next []*value.Value
		for _, v := range level {
			for i := range v.Elems {
				e := &v.Elems[i]
				if v.Type.Fields[i].Name == name {
					return e
				}
				if e.Type.Kind == reflect.Pointer && len(e.Elems) == 1 {
					e = &e.Elems[0]
				}
				base, _, _ := strings.Cut(e.Type.Name, "[")
				base = base[strings.LastIndexByte(base, '.')+1:]
				if e.State == value.Known && e.Type.Kind == reflect.Struct && base == v.Type.Fields[i].Name {
					next = append(next, e)
				}
			}
		}
		level = next
	}
	return nil
}

func (c *call) length(v *value.Value, what string) (o operand, ok bool) {
	if v.State == value.Known && v.Type.Kind == reflect.Pointer && len(v.Elems) == 1 {
		v = &v.Elems[0]
	}
	if c.masked(v, what) || v.State != value.Known {
		return o, false
	}
	switch v.Type.Kind {
	case reflect.String, reflect.Slice, reflect.Array, reflect.Map, reflect.Chan:
		return operand{kind: integer, bits: uint64(v.Len)}, true
	}
	c.fail("%s is %s: it has no length that is known", what, v.Type.Name)
	return o, false
}

// load returns the operand of a value. whole: only whether it is nil is asked, of an interface that may hold a struct.
func (c *call) load(v *value.Value, what string, whole bool) (o operand, ok bool) {
	switch v.State {
	case value.Nil:
		return operand{kind: reference}, true
	case value.Known:
	default:
		c.masked(v, what)
		return o, false
	}
	o.bits = v.Bits
	switch v.Type.Kind {
	case reflect.Bool:
		o.kind = truth
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		o.kind = integer
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		o.kind = unsigned
	case reflect.Float32:
		o.kind, o.bits = float, math.Float64bits(float64(math.Float32frombits(uint32(v.Bits))))
	case reflect.Float64:
		o.kind = float
	case reflect.String:
		o.kind, o.text, o.missing = text, v.Text, v.Cut() > 0
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.Slice, reflect.UnsafePointer:
		o.kind, o.bits = reference, bit(!v.IsNil)
		if v.Type.Kind == reflect.UnsafePointer {
			o.bits = bit(v.Bits != 0)
		}
	default:
		if !whole {
			c.fail("%s is %s: name one of its parts", what, v.Type.Name)
			return o, false
		}
		o.kind, o.bits = reference, 1
	}
	return o, true
}

// compare compares two operands; known is false if that can't be.
func (c *call) compare(x, y operand, rel condition.Relation) (is, known bool) {
	holds := func(less, equal bool) (bool, bool) {
		r := condition.Greater
		if equal {
			r = condition.Equal
		} else if less {
			r = condition.Less
		}
		return rel&r != 0, true
	}
	switch {
	case x.kind == text && y.kind == text:
		return texts(x, y, holds)
	case x.null || y.null, x.kind == truth && y.kind == truth:
		if rel != condition.Equal && rel != condition.Less|condition.Greater|condition.Unordered {
			c.fail("a %s has no order", x.kind)
			return false, false
		}
		// What an interface holds is no reference, and isn't nil.
		return holds(false, x.kind == y.kind && x.bits == y.bits)
	case x.kind > float || y.kind > float:
		c.fail("a %s is compared with a %s", x.kind, y.kind)
		return false, false
	case x.kind == float || y.kind == float:
		a, b := x.float(), y.float()
		if a != a || b != b {
			return rel&condition.Unordered != 0, true
		}
		return holds(a < b, a == b)
	case x.kind == integer && int64(x.bits) < 0 && y.kind == unsigned:
		return holds(true, false)
	case y.kind == integer && int64(y.bits) < 0 && x.kind == unsigned:
		return holds(false, false)
	case x.kind == integer && y.kind == integer:
		return holds(int64(x.bits) < int64(y.bits), x.bits == y.bits)
	}
	return holds(x.bits < y.bits, x.bits == y.bits)
}

func (k kind) String() string {
	return [...]string{"number", "number", "number", "text", "truth value", "reference"}[k]
}

func (o operand) float() float64 {
	switch o.kind {
	case integer:
		return float64(int64(o.bits))
	case unsigned:
		return float64(o.bits)
	}
	return math.Float64frombits(o.bits)
}

// texts compares texts, of which the ends may be missing.
func texts(x, y operand, holds func(less, equal bool) (bool, bool)) (is, known bool) {
	n := min(len(x.text), len(y.text))
	if a, b := x.text[:n], y.text[:n]; a != b {
		return holds(a < b, false)
	}
	switch {
	case !x.missing && !y.missing:
		return holds(len(x.text) < len(y.text), len(x.text) == len(y.text))
	case x.missing && !y.missing && len(y.text) <= n: // x is longer
		return holds(false, false)
	case y.missing && !x.missing && len(x.text) <= n:
		return holds(true, false)
	}
	return false, false
}

func find(x, y operand, f condition.Finder) (is, known bool) {
	if x.kind != text || y.kind != text || y.missing {
		return false, false
	}
	switch f {
	case condition.Prefix:
		if strings.HasPrefix(x.text, y.text) {
			return true, true
		}
		return false, !x.missing || !strings.HasPrefix(y.text, x.text)
	case condition.Suffix:
		return strings.HasSuffix(x.text, y.text), !x.missing
	}
	is = strings.Contains(x.text, y.text)
	return is, is || !x.missing
}
