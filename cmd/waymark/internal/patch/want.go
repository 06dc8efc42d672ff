//go:build linux && amd64

package patch

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
)

// A Site is a function, or a line, that was patched at some time.
type Site struct {
	Number uint32 // from 1
	Func   *image.Func
	Line   *Line // nil: it is of calls

	planned
	made   map[trampoline.Record][]trampoline.Trampoline // all that were written
	record trampoline.Record                             // what is recorded while it is on
	next   trampoline.Record                             // what is to be
	places []*patch
	on     bool
	been   bool // it was on at some time
	mark   bool // it is the runtime's, see trampoline.Mark
	lost   bool // another program has changed it
	left   bool // it is left out of what is being done
}

// Name returns the function's name as runtime.FuncForPC does: without type arguments. A line's is that of the function that
// it is in.
func (s *Site) Name() string {
	if s.Line != nil {
		return NameOf(s.Line.Name)
	}
	return NameOf(s.Func.Name)
}

// NameOf returns a function's name as runtime.FuncForPC does: without type arguments.
func NameOf(name string) string {
	open, end := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if open < 0 || end < open {
		return name
	}
	return name[:open] + "[...]" + name[end+1:]
}

// literal matches the end of a function literal's name.
var literal = regexp.MustCompile(`\.func[0-9]+(\.|$)`)

// A patch is a jump to a trampoline.
type patch struct {
	trampoline.Trampoline
	site     *Site
	at       uint64 // its address in the process
	original []byte // the bytes that it replaces
}

// idle reports whether the function's own code is to stand at the place, as at the ends where calls are counted.
func (p *patch) idle() bool { return p.Start == 0 }

func (p *patch) appendJump(b []byte) []byte {
	code := byte(jump)
	if p.Place.Call {
		code = call
	}
	return binary.LittleEndian.AppendUint32(append(b, code), uint32(p.Start-(p.at+displace.Jump)))
}

// inside reports whether an address is within what the patch displaces, but not at its beginning.
func (p *patch) inside(pc, bias uint64) bool {
	return pc > p.at && pc < max(p.Place.End()+bias, p.at+displace.Jump)
}

// A Report says what Want has done.
type Report struct {
	Functions int                   // that are patched now
	Refused   map[*image.Func]error // functions that can't be patched, and why
	Overlaps  []*Line               // lines whose code is patched for something else
	Deferred  []*image.Func         // that something was within just then: they can be wanted again
	Dropped   bool                  // calls of functions aren't recorded any more that were
	Lost      []string              // functions of the runtime that other programs have changed: what they say is missing
	Stopped   time.Duration         // so long the process stood still
}

// A Wanted is a function or a line that is to be patched, and what is recorded of its calls.
type Wanted struct {
	Func   *image.Func
	Line   *Line // nil: calls of the function are wanted
	Record trampoline.Record
}

// errLine is why a function isn't patched.
var errLine = errors.New("a line of it was watched, whose code it shares: end this command and begin anew")

// siteOf returns the site of what is wanted; nil: there is none yet.
func (t *Target) siteOf(w Wanted) *Site {
	if w.Line != nil {
		return t.lines[w.Line]
	}
	return t.known[w.Func]
}

// Want has these functions patched, and no others.
func (t *Target) Want(list []Wanted) (r *Report, err error) {
	err = t.do(func() error {
		r, err = t.want(list)
		return err
	})
	return r, err
}

func (t *Target) want(list []Wanted) (*Report, error) {
	r := &Report{Refused: make(map[*image.Func]error)}
	wanted := make(map[*Site]bool)
	recorded := false // calls of some
	var add []*Site
	plans := plansOf(list, t.known)
	lines, functions := t.overlaps(list, plans)
	for i, w := range list {
		if lines[w.Line] {
			r.Overlaps = append(r.Overlaps, w.Line)
			continue
		}
		if w.Line == nil && functions[w.Func] {
			r.Refused[w.Func] = errLine
			continue
		}
		f, s := w.Func, t.siteOf(w)
		p := plans[i]
		if s != nil {
			p = s.planned
		}
		if p.plan == nil || p.err != nil && !w.Record.Count {
			r.Refused[f] = p.err
			continue
		}
		if s == nil {
			if len(t.sites) == mostSites {
				return r, fmt.Errorf("%d functions are patched, or were: there is room for no more", mostSites-1)
			}
			if err := t.share(); err != nil {
				return r, err
			}
			s = &Site{Number: uint32(len(t.sites)), Func: f, Line: w.Line, planned: p}
			t.sites = append(t.sites, s)
			if w.Line != nil {
				t.lines[w.Line] = s
			} else {
				t.known[f] = s
			}
		}
		wanted[s] = true
		if recorded = recorded || !w.Record.Count; s.on && s.record == w.Record {
			continue
		}
		r.Dropped = r.Dropped || s.on && w.Record.Count
		if err := t.use(s, w.Record); err != nil {
			return r, err
		}
		add = append(add, s)
	}
	var drop []*Site
	for _, s := range t.sites[1:] {
		if s.on && !wanted[s] {
			drop = append(drop, s)
		}
	}
	r.Dropped = r.Dropped || len(drop) > 0
	for _, s := range t.marks { // events of goroutines are of use while there are calls
		switch {
		case s.on && !recorded:
			drop = append(drop, s)
		case !s.on && !s.lost && recorded:
			add = append(add, s)
		}
	}
	if len(add)+len(drop) > 0 {
		if err := t.switchTo(add, drop, r); err != nil {
			return r, err
		}
	}
	for s := range wanted {
		if s.on {
			r.Functions++
		}
	}
	return r, nil
}

// Records reports whether calls of a function that was wanted can be recorded: of some they can only be counted.
func (t *Target) Records(f *image.Func) bool {
	s := t.known[f]
	return s != nil && s.err == nil
}

// Patched returns how many functions are patched.
func (t *Target) Patched() (n int) {
	for _, s := range t.sites[1:] {
		if s.on {
			n++
		}
	}
	return n
}

// use has a site jump to trampolines that record this, from when it is switched on. They are written once.
func (t *Target) use(s *Site, r trampoline.Record) error {
	if s.made[r] == nil && len(t.writer.Bytes())+trampoline.Room(s.plan, r) > codeRoom {
		r.Args, r.Results = nil, nil // rather than nothing at all
	}
	if s.made[r] == nil {
		if len(t.writer.Bytes())+trampoline.Room(s.plan, r) > codeRoom {
			return fmt.Errorf("there is no room for more trampolines: %d functions are patched, or were, in as many ways as there are: end this command and begin anew", len(t.sites)-1)
		}
		if s.made == nil {
			s.made = make(map[trampoline.Record][]trampoline.Trampoline)
		}
		s.made[r] = t.writer.Add(s.plan, s.Number, r, t.bias)
	}
	s.next = r
	t.place(s, s.made[r])
	return nil
}

// mostSites is one more than there may be functions: the last ones that there is room for are marks.
var mostSites = trampoline.MostSites - len(trampoline.Marks)

// addMarks makes sites of the runtime's functions that say what goroutines do. Where one can't be patched its events are
// missing, as they are where they find no room.
func (t *Target) addMarks() {
	for i := range trampoline.Marks {
		m := &trampoline.Marks[i]
		p, err := m.Plan(t.Image)
		if p == nil || err != nil {
			continue
		}
		s := &Site{Number: uint32(mostSites + i), Func: p.Func, planned: planned{plan: p}, mark: true}
		t.place(s, t.writer.AddMark(p, m, s.Number, t.bias))
		t.marks = append(t.marks, s)
	}
}

// place notes where a site's trampolines are, in place of those that it had.
func (t *Target) place(s *Site, list []trampoline.Trampoline) {
	for i, tr := range list {
		if i < len(s.places) {
			s.places[i].Trampoline = tr
			continue
		}
		at := tr.Place.At() + t.bias
		offset := tr.Place.At() - t.Image.Text.Low
		original := t.Image.Code()[offset : offset+displace.Jump]
		s.places = append(s.places, &patch{tr, s, at, original})
	}
	for _, p := range s.places[len(list):] {
		p.Trampoline = trampoline.Trampoline{Place: p.Place}
	}
}

// switchTo patches sites, and undoes the patches of others. A site that something is within just now is left
// out.
func (t *Target) switchTo(add, drop []*Site, r *Report) error {
	if code := t.writer.Bytes(); len(code) > t.written {
		if err := t.process.Write(t.code+uint64(t.written), code[t.written:]); err != nil {
			return err
		}
		t.written = len(code)
		binary.LittleEndian.PutUint64(t.memory[trampoline.HeadUsed:], uint64(t.written)) // before anything leads there
	}
	places := patchesOf(add)
	changes := append(changesOf(drop, false), changesOf(add, true)...) // a line may take the place that another one gives back
	ps := pagesOf(changes)
	if err := t.touch(ps); err != nil {
		return err
	}
	for _, s := range drop {
		s.left = false
	}
	began := time.Now()
	if err := t.process.Stop(); err != nil {
		return err
	}
	defer func() {
		t.process.Resume()
		r.Stopped = time.Since(began)
	}()
	if err := t.check(); err != nil {
		return err
	}
	busy, err := t.occupied(places)
	if err != nil {
		return err
	}
	if err := t.move(places, busy); err != nil {
		return err
	}
	for _, s := range add {
		if s.left = busy[s]; s.left && !s.mark { // a mark is tried again with the next functions
			r.Deferred = append(r.Deferred, s.Func)
		}
	}
	if err := t.looked(ps, changes); err != nil {
		return err
	}
	for _, s := range add {
		s.been = s.been || !s.left // also if only some of it is written
	}
	if err := t.put(ps); err != nil {
		return err
	}
	for _, s := range drop {
		s.on = false
	}
	for _, s := range add {
		if !s.left {
			s.on, s.record = true, s.next
		}
	}
	for _, s := range t.marks {
		if s.lost {
			r.Lost = append(r.Lost, s.Func.Name)
		}
	}
	return nil
}

// looked makes pages of the process's code what they are to be. What other programs have changed is not touched: a mark is
// left out then, for nobody has asked for it.
func (t *Target) looked(ps *pages, changes []change) error {
	for {
		others, err := t.look(ps, changes, image.Range{Low: t.code, High: t.code + codeRoom})
		if err != nil || len(others) == 0 {
			return err
		}
		for _, c := range others {
			if !c.site.mark || c.site.on {
				f := t.Image.At(c.at - t.bias)
				return &image.Refusal{Why: fmt.Sprintf("the code of %s in process %d isn't that of its file: another program has changed it, a debugger perhaps", f.Name, t.process.PID)}
			}
			c.site.lost, c.site.left = true, true
		}
	}
}

// patchesOf returns the places of sites that are to be patched, in the order of their addresses.
func patchesOf(sites []*Site) (list []*patch) {
	for _, s := range sites {
		for _, p := range s.places {
			if !p.idle() {
				list = append(list, p)
			}
		}
	}
	slices.SortFunc(list, func(a, b *patch) int { return cmp.Compare(a.at, b.at) })
	return list
}

// find returns the patch that an address is inside of; nil: none.
func find(list []*patch, pc, bias uint64) *patch {
	i := sort.Search(len(list), func(i int) bool { return list[i].at >= pc }) - 1
	if i < 0 || !list[i].inside(pc, bias) {
		return nil
	}
	return list[i]
}

// move has threads that are within what is displaced go on in its copy. It notes sites where one can't.
func (t *Target) move(places []*patch, busy map[*Site]bool) error {
	for _, thread := range t.process.Threads() {
		p := find(places, thread.Regs.Rip, t.bias)
		if p == nil || busy[p.site] {
			continue
		}
		moved := false
		for i := range p.Place.Displaced {
			if p.Place.Displaced[i].At+t.bias == thread.Regs.Rip {
				thread.Regs.Rip = p.Copies[i]
				if err := thread.SetRegs(); err != nil {
					return err
				}
				moved = true
			}
		}
		if !moved {
			busy[p.site] = true
		}
	}
	return nil
}
