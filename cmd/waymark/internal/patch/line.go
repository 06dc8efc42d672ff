//go:build linux && amd64

package patch

import (
	"fmt"
	"path"
	"regexp"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
)

// A Line is a place of a line in a function's code that can be patched.
type Line struct {
	capture.Statement
	At     int    // the line of the code that is patched: another one, if the statement's own can't be
	Name   string // of the function that the line is in: another one than Func, if it is inlined there
	Locals *capture.Locals
	Around []image.Frame // calls that are inlined around the line, the innermost first

	plan *displace.Plan
}

// A lineKey is what a line is known by: calls on it that are inlined may begin where others' lines
// do.
type lineKey struct {
	pc         uint64
	line, call int
}

// String returns the line as FILE:LINE.
func (l *Line) String() string { return fmt.Sprintf("%s:%d", path.Base(l.File), l.Line) }

// loopBody matches the end of the name that the compiler gives the body of a loop over a function.
var loopBody = regexp.MustCompile(`-range[0-9]+$`)

// LoopBody reports whether the line is in the body of a loop over a function. The body is a function
// of its own, and has only the variables that it uses.
func (l *Line) LoopBody() bool { return loopBody.MatchString(l.Name) }

// Lines returns the places of a line, see capture.Types.Statements, and why others can't be patched. The error says why
// there are none.
func (v *Values) Lines(file string, line int) (list []*Line, left []error, err error) {
	statements, err := v.Types.Statements(file, line)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range statements {
		starts, err := []uint64(nil), displace.ErrMixed
		if s.Marked {
			starts, err = displace.Starts(s.Func, s.Parts, s.Code)
		}
		if err != nil {
			left = append(left, refusedLine(s, err))
		}
		for _, pc := range starts {
			if l, err := v.line(s, pc); err != nil {
				left = append(left, refusedLine(s, err))
			} else {
				list = append(list, l)
			}
		}
	}
	if len(list) == 0 {
		return nil, nil, left[0]
	}
	return list, left, nil
}

func refusedLine(s capture.Statement, err error) error {
	return fmt.Errorf("%s:%d, in %s, can't be patched: %w", path.Base(s.File), s.Line, NameOf(s.Func.Name), err)
}

func (v *Values) line(s capture.Statement, pc uint64) (*Line, error) {
	key := lineKey{pc, s.Line, s.Call}
	if l := v.lines[key]; l != nil {
		return l, nil
	}
	begin, ok := s.Func.Within(s.Call, pc) // of what is inlined in the line its call
	if !ok {
		return nil, displace.ErrShape
	}
	p, err := displace.Line(s.Func, pc)
	if err != nil {
		return nil, err
	}
	at := p.Entry.At()
	// The place may be in a function that is inlined in the line, but not outside of that which the line is in.
	own, there := v.t.Image.Frames(begin), v.t.Image.Frames(at)
	inner := len(there) - len(own)
	if len(own) == 0 || inner < 0 || there[inner].Function != own[0].Function {
		return nil, displace.ErrTarget
	}
	l := &Line{Statement: s, At: there[inner].Line, Name: own[0].Function, Around: own[1:], plan: p}
	depth, ok := s.Func.Depth().At(at)
	if !ok {
		return nil, displace.ErrShape
	}
	if p.Entry.Call {
		depth += 8
	}
	if l.Locals, err = v.Types.Locals(s, begin, at, int(depth), v.Limits); err != nil {
		return nil, err
	}
	v.lines[key] = l
	return l, nil
}

// Record returns what is recorded where the line is reached.
func (l *Line) Record(r trampoline.Record) trampoline.Record {
	r.Line, r.Args, r.Results = true, l.Locals.Plan, nil
	return r
}

// overlaps returns the lines of those that are wanted whose places are others' too, and functions of which a line has been
// patched where theirs are: a thread may be about to go on behind a place that isn't patched any more.
func (t *Target) overlaps(list []Wanted, plans []planned) (lines map[*Line]bool, functions map[*image.Func]bool) {
	lines, functions = make(map[*Line]bool), make(map[*image.Func]bool)
	type span struct{ low, high uint64 }
	spanOf := func(p *displace.Place) span { return span{p.At(), max(p.End(), p.At()+displace.Jump)} }
	meet := func(s span, list []span) bool {
		return slices.ContainsFunc(list, func(o span) bool { return s.low < o.high && o.low < s.high })
	}
	before, taken := make(map[*image.Func][]span), make(map[*image.Func][]span) // of lines, and of functions that have some
	for _, s := range t.sites[1:] {
		if s.been && s.Line != nil {
			before[s.Func] = append(before[s.Func], spanOf(s.plan.Entry))
		}
	}
	for _, w := range list {
		if s := t.known[w.Func]; w.Line != nil && s != nil && s.been {
			for _, p := range s.places {
				taken[w.Func] = append(taken[w.Func], spanOf(p.Place))
			}
		} else if w.Line != nil {
			taken[w.Func] = append(taken[w.Func], span{})
		}
	}
	for i, w := range list {
		if w.Line != nil || len(taken[w.Func])+len(before[w.Func]) == 0 {
			continue
		}
		p := plans[i].plan
		if s := t.known[w.Func]; s != nil {
			p = s.plan
		}
		if p == nil {
			continue
		}
		p.Each(func(place *displace.Place) {
			if place.Exit && w.Record.Count { // it stays as it is
				return
			}
			functions[w.Func] = functions[w.Func] || meet(spanOf(place), before[w.Func])
			taken[w.Func] = append(taken[w.Func], spanOf(place))
		})
	}
	for _, w := range list {
		if w.Line == nil {
			continue
		}
		s := spanOf(w.Line.plan.Entry)
		others := slices.DeleteFunc(slices.Clone(before[w.Func]), func(o span) bool { return o == s }) // its own
		if lines[w.Line] = meet(s, taken[w.Func]) || meet(s, others); !lines[w.Line] {
			taken[w.Func] = append(taken[w.Func], s)
		}
	}
	return lines, functions
}
