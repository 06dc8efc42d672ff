package capture

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// A Statement is the code of a line in a function, with that of the calls on the line that are
// inlined there.
type Statement struct {
	Func  *image.Func   // whose code it is
	Parts []uint64      // where parts of it begin, which may be apart
	Code  []image.Range // all of its code
	File  string
	Line  int
	Call  int // which of the calls inlined in Func the line is of, as image.Func.InlinedAt returns it

	Marked bool // the compiler says that statements begin at the parts: else it doesn't say where this one begins
}

// Statements returns the code of a line: one for each function, and for each place where the function of the line is
// inlined. file is the end of the file's path. The error says which lines have code, or which files there are.
func (ts *Types) Statements(file string, line int) ([]Statement, error) {
	var found []Statement
	files := make(map[string]bool)
	lines := make(map[int]bool) // of the files that have code
	r := ts.data.Reader()
	for {
		unit, err := r.Next()
		if err != nil || unit == nil {
			break
		}
		if unit.Tag == dwarf.TagCompileUnit {
			if err := ts.unitStatements(unit, file, line, files, lines, &found); err != nil {
				return nil, err
			}
		}
		r.SkipChildren()
	}
	switch {
	case len(files) == 0:
		return nil, fmt.Errorf("no file of the program is named %s", file)
	case len(files) > 1:
		var list []string
		for name := range files {
			list = append(list, name)
		}
		slices.Sort(list)
		return nil, fmt.Errorf("%s is the name of %d files: %s", file, len(list), strings.Join(list, ", "))
	case len(found) == 0:
		return nil, fmt.Errorf("%s:%d has no code%s", file, line, near(line, lines))
	}
	return joined(found), nil
}

// near says which lines near by have code.
func near(line int, lines map[int]bool) string {
	before, after := 0, 0
	for n := range lines {
		if n < line {
			before = max(before, n)
		} else if after == 0 || n < after {
			after = n
		}
	}
	switch {
	case before > 0 && after > 0:
		return fmt.Sprintf(": lines %d and %d have", before, after)
	case before > 0:
		return fmt.Sprintf(": line %d is the file's last that has", before)
	case after > 0:
		return fmt.Sprintf(": line %d is the file's first that has", after)
	}
	return ""
}

func (ts *Types) unitStatements(unit *dwarf.Entry, file string, line int, files map[string]bool, lines map[int]bool, found *[]Statement) error {
	r, err := ts.data.LineReader(unit)
	if err != nil || r == nil {
		return err
	}
	named := func(name string) bool { return name == file || strings.HasSuffix(name, "/"+file) }
	if !slices.ContainsFunc(r.Files(), func(f *dwarf.LineFile) bool { return f != nil && named(f.Name) }) {
		return nil
	}
	var e dwarf.LineEntry
	var f *image.Func
	var calls []image.Inlined // of the line, in the function
	for first := len(*found); ; {
		switch err := r.Next(&e); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		for ; first < len(*found); first++ { // what comes next ends those before
			(*found)[first].Code[0].High = e.Address
		}
		if e.EndSequence {
			continue
		}
		if f == nil || e.Address < f.Entry || e.Address >= f.End {
			if f = ts.image.At(e.Address); f == nil {
				continue
			}
			calls = f.InlinedOn(line, named)
		}
		add := func(name string, call int) {
			files[name] = true
			*found = append(*found, Statement{Func: f, Parts: []uint64{e.Address}, Code: []image.Range{{Low: e.Address, High: f.End}}, File: name,
				Line: line, Call: call, Marked: e.IsStmt})
		}
		for _, c := range calls {
			if c.Contains(e.Address) {
				add(c.File, c.Caller)
			}
		}
		switch {
		case e.File == nil || !named(e.File.Name):
		case e.Line == line:
			add(e.File.Name, f.InlinedAt(e.Address))
			fallthrough
		case e.IsStmt:
			files[e.File.Name], lines[e.Line] = true, true
		}
	}
}

// joined returns statements with all their parts, of those of single parts.
func joined(list []Statement) (all []Statement) {
	slices.SortStableFunc(list, func(a, b Statement) int { return cmp.Compare(a.Parts[0], b.Parts[0]) })
	type place struct {
		f    *image.Func
		call int
	}
	known := make(map[place]int)
	for _, s := range list {
		i, ok := known[place{s.Func, s.Call}]
		if !ok {
			known[place{s.Func, s.Call}] = len(all)
			all = append(all, s)
			continue
		}
		own := &all[i]
		own.Code = append(own.Code, s.Code...)
		switch {
		case own.Marked && !s.Marked: // where it marks none all count
		case s.Marked && !own.Marked:
			own.Parts, own.Marked = s.Parts, true
		case !slices.Contains(own.Parts, s.Parts[0]):
			own.Parts = append(own.Parts, s.Parts[0])
		}
	}
	return all
}

// Locals are the variables of a line.
type Locals struct {
	*Plan
	Lost []string // variables that are nowhere, as the compiler has optimised them away or doesn't need them there
}

// Locals returns what is copied at an instruction of the variables that are in scope where a
// statement begins, of the function that the statement is in: one that is inlined has its own.
// begin is in the code of that function, not of calls inlined in the statement: the compiler says
// nothing of blocks around those. depth is how far the stack pointer is from the return address,
// bytes.
func (ts *Types) Locals(s Statement, begin, at uint64, depth int, l Limits) (*Locals, error) {
	if ts.functionsAt == nil {
		ts.index()
	}
	entry, ok := ts.functionsAt[s.Func.Entry]
	if !ok {
		return nil, errors.New("the compiler has written nothing about it for debuggers")
	}
	if ts.places == nil {
		ts.places = newLocations(ts.image)
		if ts.places.lists == nil {
			return nil, errors.New("the program has no DWARF 5, as Go writes it by default")
		}
	}
	r := ts.data.Reader()
	unit, err := r.SeekPC(at)
	if err != nil {
		return nil, err
	}
	r.Seek(entry)
	e, err := r.Next()
	if err != nil {
		return nil, err
	}
	in := &scope{ts: ts, r: r, unit: unit, s: s, begin: begin, at: at, depth: depth, names: make(map[string]int)}
	if err := in.children(e); err != nil {
		return nil, err
	}
	out := new(Locals)
	var list []Variable
	var where [][]Piece
	for _, v := range in.list {
		if v.pieces == nil && v.Type.Size > 0 {
			out.Lost = append(out.Lost, v.Name)
			continue
		}
		list, where = append(list, v.Variable), append(where, v.pieces)
	}
	out.Plan = ts.plan(list, func(i int) []Piece { return where[i] }, l, ofLine)
	return out, nil
}

// A scope gathers the variables at an instruction.
type scope struct {
	ts    *Types
	r     *dwarf.Reader
	unit  *dwarf.Entry
	s     Statement
	begin uint64 // of the statement
	at    uint64 // where variables are read
	depth int
	list  []local
	names map[string]int // where in the list a variable with a name is: an inner one hides outer ones
}

type local struct {
	Variable
	captured bool // a function literal has it from around it
	pieces   []Piece
}

// children adds the variables of an entry whose children come next.
func (in *scope) children(e *dwarf.Entry) error {
	if !e.Children {
		return nil
	}
	for {
		e, err := in.r.Next()
		switch {
		case err != nil:
			return err
		case e == nil || e.Tag == 0:
			return nil
		}
		inside := false
		switch e.Tag {
		case dwarf.TagFormalParameter, dwarf.TagVariable:
			if err := in.variable(e); err != nil {
				return err
			}
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			if inside, err = in.within(e); err != nil {
				return err
			}
		}
		if inside && e.Tag == dwarf.TagInlinedSubroutine {
			in.inlined(e)
		}
		if inside {
			if err := in.children(e); err != nil {
				return err
			}
		} else if e.Children {
			in.r.SkipChildren()
		}
	}
}

// inlined prepares for the variables of an inlined function. It sees none around it, unless it is a
// literal. Its own ones hide those, also where the compiler has nothing of them at this place.
func (in *scope) inlined(e *dwarf.Entry) {
	origin, _ := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	r := in.ts.data.Reader()
	r.Seek(origin)
	o, err := r.Next()
	name := ""
	if err == nil && o != nil {
		name, _ = o.Val(dwarf.AttrName).(string)
	}
	if !closure.MatchString(name[strings.LastIndexByte(name, '.')+1:]) {
		in.list, in.names = nil, make(map[string]int)
		return
	}
	for o.Children {
		v, err := r.Next()
		if err != nil || v == nil || v.Tag == 0 {
			return
		}
		name, _ := v.Val(dwarf.AttrName).(string)
		line, _ := v.Val(dwarf.AttrDeclLine).(int64)
		if at, known := in.names[strings.TrimPrefix(name, "&")]; known && v.Val(attrCaptured) == nil && int(line) < in.s.Line {
			in.list[at].pieces = nil
		}
		if v.Children {
			r.SkipChildren()
		}
	}
}

func (in *scope) within(e *dwarf.Entry) (bool, error) {
	ranges, err := in.ts.data.Ranges(e)
	return err == nil && slices.ContainsFunc(ranges, func(r [2]uint64) bool { return in.begin >= r[0] && in.begin < r[1] }), err
}

func (in *scope) variable(e *dwarf.Entry) error {
	own, of, err := e, dwarf.Offset(0), error(nil)
	var ok bool
	if of, ok = e.Val(dwarf.AttrType).(dwarf.Offset); !ok {
		if own, of, err = in.ts.shared(e); err != nil {
			return nil // a label, or what has no type
		}
	}
	name, _ := own.Val(dwarf.AttrName).(string)
	escaped := strings.HasPrefix(name, "&") // it is on the heap, and this a pointer to it
	name = strings.TrimPrefix(name, "&")
	line, _ := own.Val(dwarf.AttrDeclLine).(int64)
	captured := own.Val(attrCaptured) != nil || e.Val(attrCaptured) != nil // it is declared outside, whatever its line
	switch {
	case name == "" || name == "_" || strings.ContainsAny(name[:1], ".~#"), in.ts.image.Built && strings.HasPrefix(name, "wm_"): // of the source it is none
		return nil
	case own.Tag == dwarf.TagVariable && int(line) >= in.s.Line && !captured: // it is declared further down
		return nil
	}
	t, err := in.ts.at(of)
	if err != nil {
		return nil
	}
	at, known := in.names[name]
	if known && captured && !in.list[at].captured { // the literal has declared one of its own
		return nil
	}
	v := local{Variable: Variable{Name: name, Type: t}, captured: captured}
	v.Heap = escaped
	v.Masked = in.ts.hides(in.s.Func, &v.Variable) || escaped && v.held() != nil && v.held().hidden()
	where, err := in.ts.places.at(e, in.unit, in.at, t.Size)
	if result, _ := own.Val(dwarf.AttrVarParam).(bool); (captured || result) && in.s.Line == in.s.Func.Line() {
		where = nil // a captured one is fetched there, from what the literal has of it; a result isn't set yet
	}
	if err == nil && len(where) > 0 {
		if list, ok := pieces(where, t, in.depth); ok {
			v.pieces = list
		}
	}
	if known {
		in.list[at] = v
		return nil
	}
	in.names[name] = len(in.list)
	in.list = append(in.list, v)
	return nil
}
