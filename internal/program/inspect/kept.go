package inspect

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/program/text"
)

// Limits of calls that are kept: when there are more, the oldest are forgotten.
const (
	mostKept      = 1000
	mostKeptBytes = 8 << 20  // of their values as text
	mostFull      = 16 << 10 // of the arguments of a call, and of its results; one value may go beyond
)

// Kept has the calls that watches were to keep. The zero Kept has none.
type Kept struct {
	mu    sync.Mutex
	list  []*kept // by number
	bytes int
	last  uint64 // number of the latest call
}

// A kept call has its values, on which conditions are decided later, and their text, as the program
// may change what they lead to.
type kept struct {
	call          toldCall
	wish          *switchboard.Wish // of the watch, for policies
	f             *function.Func
	args, results valueList
	panicked      bool
}

// A valueList is arguments or results, and their text.
type valueList struct {
	list  []any
	texts []string
}

// fully returns values with their text in full.
func fully(list []any) valueList {
	v := valueList{list: list, texts: make([]string, len(list))}
	for i := range list {
		if v.texts[i] = "..."; v.bytes() < mostFull {
			v.texts[i] = string(text.Full.Append(nil, list[i]))
		}
	}
	return v
}

func (v *valueList) bytes() (n int) {
	for _, text := range v.texts {
		n += len(text)
	}
	return n
}

func (c *kept) bytes() int {
	return c.args.bytes() + c.results.bytes() + c.call.size()
}

// add keeps a call, and returns its number.
func (k *Kept) add(c *kept) uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	c.call.Number = k.last
	k.list = append(k.list, c)
	k.bytes += c.bytes()
	drop := 0
	for len(k.list)-drop > mostKept || k.bytes > mostKeptBytes && drop < len(k.list)-1 {
		k.bytes -= k.list[drop].bytes()
		drop++
	}
	k.list = slices.Delete(k.list, 0, drop)
	return k.last
}

// Forget drops the kept calls. Numbers go on.
func (k *Kept) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list, k.bytes = nil, 0
}

// Len returns the number of calls.
func (k *Kept) Len() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.list)
}

// permitted forgets the calls that policies don't allow to be seen any more, and returns the others.
func (k *Kept) permitted() []*kept {
	k.mu.Lock()
	list := slices.Clone(k.list)
	k.mu.Unlock()
	refused := make(map[*switchboard.Wish]error)
	owner := switchboard.Default.Join("Watch", switchboard.Command)
	gone := make(map[*kept]bool)
	for _, c := range list {
		if _, known := refused[c.wish]; !known {
			refused[c.wish] = owner.Check(*c.wish)
		}
		if refused[c.wish] != nil || !switchboard.Default.Permits(c.f.Group) {
			gone[c] = true
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(c *kept) bool { return gone[c] })
	k.bytes = 0
	for _, c := range k.list {
		k.bytes += c.bytes()
	}
	return slices.Clone(k.list)
}

// Find returns the calls that a query asks for, as many as a message may have.
func (k *Kept) Find(q control.Query) (*control.Kept, error) {
	search := search{filters: make(map[*function.Func]*condition.Filter), hidden: switchboard.Default.Hidden(), full: len(q.Numbers) > 0}
	if len(q.If) > 0 {
		var err error
		if search.only, err = condition.Decode(q.If); err != nil {
			return nil, &control.Error{Code: control.CodeRequest, Text: err.Error()}
		}
	}
	list := k.permitted()
	byNumber := func(c *kept, n uint64) int {
		switch {
		case c.call.Number < n:
			return -1
		case c.call.Number > n:
			return 1
		}
		return 0
	}
	for _, n := range q.Numbers {
		if _, found := slices.BinarySearchFunc(list, n, byNumber); !found {
			return nil, &control.Error{Code: control.CodeTarget, Text: fmt.Sprintf("no call %d is kept%s", n, between(list))}
		}
	}
	size := 0
	for _, c := range list {
		n := c.call.Number
		if n <= q.After || search.full && !slices.Contains(q.Numbers, n) || !search.accepts(c) {
			continue
		}
		if size > mostNews {
			search.found.After = search.found.Calls[len(search.found.Calls)-1].Number
			break
		}
		size += search.take(c)
	}
	return &search.found, nil
}

// between says which calls are kept.
func between(list []*kept) string {
	if len(list) == 0 {
		return ": none is; waymark watch --keep-calls keeps calls"
	}
	return fmt.Sprintf(": there are %d to %d", list[0].call.Number, list[len(list)-1].call.Number)
}

// A search looks for calls.
type search struct {
	only    *condition.Program // nil: all calls
	filters map[*function.Func]*condition.Filter
	hidden  bool // a policy hides values
	full    bool // values in full are wanted
	found   control.Kept
	names   signatures
}

// accepts reports whether the condition accepts a call. It is decided on the call's values, and on
// what these lead to now.
func (s *search) accepts(c *kept) bool {
	if s.only == nil {
		return true
	}
	f := s.filters[c.f]
	if f == nil {
		of := condition.Function{Name: c.f.Name, Secret: switchboard.Secret, Report: func(err error) { s.found.Notes = append(s.found.Notes, err.Error()) }}
		of.Args, of.Results = s.names.of(c.f)
		f = condition.NewFilter(s.only, of)
		s.filters[c.f] = f
	}
	if f.Values() && (s.hidden || c.call.Hidden) {
		return false
	}
	event := func(list []any) condition.Values {
		e := rt.EventOf(list)
		e.Goroutine = c.call.Goroutine
		return condition.Values{Event: e}
	}
	slots, ok := f.Enter(event(c.args.list))
	if !ok || f.AtEnter() {
		return ok
	}
	facts := condition.Facts{Duration: c.call.DurationNS, Panicked: c.panicked, Slots: slots}
	return f.Exit(event(c.results.list), facts, c.call.End == control.OnReturn)
}

// take takes a call into the answer, and returns the size of its text, bytes.
func (s *search) take(c *kept) int {
	out := control.KeptCall{Call: c.call.named(&s.names)}
	size := len(out.Args) + len(out.Results) + len(out.Panic)
	if s.hidden {
		out.Hidden, out.Args, out.Results, out.Panic = true, "", "", ""
	} else if s.full {
		args, results := s.names.of(c.f)
		out.ArgValues, out.ResultValues = c.args.named(args), c.results.named(results)
		size = c.bytes()
	}
	s.found.Calls = append(s.found.Calls, out)
	return size
}

// named returns the values with their names and types.
func (v *valueList) named(names []string) (list []control.Value) {
	for i, text := range v.texts {
		one := control.Value{Value: text}
		if i < len(names) && names[i] != "_" {
			one.Name = names[i]
		}
		if _, masked := v.list[i].(rt.Masked); !masked && v.list[i] != nil {
			one.Type = reflect.TypeOf(v.list[i]).String()
		}
		list = append(list, one)
	}
	return list
}
