//go:build linux && amd64

package patch

import (
	"fmt"
	"path"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
)

// A Line is a place of a line in a function's code that can be patched.
type Line struct {
	capture.Statement
	At     int             // the line of the code that is patched: another one, if the statement's own can't be
	Name   string          // of the function that the line is in: another one than Func, if it is inlined there
	Locals *capture.Locals // nil: they aren't known

	plan *displace.Plan
}

// String returns the line as FILE:LINE.
func (l *Line) String() string { return fmt.Sprintf("%s:%d", path.Base(l.File), l.Line) }

// Lines returns the places of a line, see capture.Types.Statements. The error says why there is none, or of one of them why
// it can't be patched.
func (v *Values) Lines(file string, line int) (list []*Line, err error) {
	statements, err := v.Types.Statements(file, line)
	if err != nil {
		return nil, err
	}
	var why error
	for _, s := range statements {
		starts, err := displace.Starts(s.Func, s.Parts)
		for _, pc := range starts {
			var l *Line
			if l, err = v.line(s, pc); err != nil {
				break
			}
			list = append(list, l)
		}
		if err != nil {
			why = fmt.Errorf("%s:%d, in %s, can't be patched: %w", path.Base(s.File), s.Line, NameOf(s.Func.Name), err)
		}
	}
	if len(list) == 0 {
		return nil, why
	}
	return list, nil
}

func (v *Values) line(s capture.Statement, pc uint64) (*Line, error) {
	if l := v.lines[pc]; l != nil && l.Statement.Line == s.Line {
		return l, nil
	}
	p, err := displace.Line(s.Func, pc)
	if err != nil {
		return nil, err
	}
	at := p.Entry.At()
	frames := v.t.Image.Frames(at)
	if len(frames) == 0 {
		return nil, displace.ErrShape
	}
	l := &Line{Statement: s, At: frames[0].Line, Name: frames[0].Function, plan: p}
	depth, ok := s.Func.Depth().At(at)
	if !ok {
		return nil, displace.ErrShape
	}
	if p.Entry.Call {
		depth += 8
	}
	if l.Locals, err = v.Types.Locals(s, at, int(depth), v.Limits); err != nil {
		return nil, err
	}
	v.lines[pc] = l
	return l, nil
}

// Record returns what is recorded where the line is reached.
func (l *Line) Record(r trampoline.Record) trampoline.Record {
	r.Line, r.Args, r.Results = true, l.Locals.Plan, nil
	return r
}

// overlaps returns the lines of those that are wanted whose places are others' too.
func overlaps(list []Wanted, plans []planned, known map[*image.Func]*Site) map[*Line]bool {
	out := make(map[*Line]bool)
	type span struct{ low, high uint64 }
	taken := make(map[*image.Func][]span) // of functions that have lines
	for _, w := range list {
		if w.Line != nil {
			taken[w.Func] = nil
		}
	}
	spanOf := func(p *displace.Place) span { return span{p.At(), max(p.End(), p.At()+displace.Jump)} }
	for i, w := range list {
		if _, lines := taken[w.Func]; !lines || w.Line != nil {
			continue
		}
		p := plans[i].plan
		if s := known[w.Func]; s != nil {
			p = s.plan
		}
		if p != nil {
			p.Each(func(place *displace.Place) { taken[w.Func] = append(taken[w.Func], spanOf(place)) })
		}
	}
	for _, w := range list {
		if w.Line == nil {
			continue
		}
		s := spanOf(w.Line.plan.Entry)
		for _, t := range taken[w.Func] {
			if s.low < t.high && t.low < s.high {
				out[w.Line] = true
			}
		}
		if !out[w.Line] {
			taken[w.Func] = append(taken[w.Func], s)
		}
	}
	return out
}
