package capture

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Signature is what is copied of a function's calls.
type Signature struct {
	Args, Results *Plan // nil: there are none

	failure *Piece // see Types.Failure
}

// Names returns the names of arguments and results, _ for those without one.
func (s *Signature) Names() (args, results []string) {
	return s.Args.Names(), s.Results.Names()
}

// A Variable is an argument or a result.
type Variable struct {
	Name   string // _: it has none
	Type   *Type
	Masked bool
	Heap   bool // what is copied is a pointer to it: the variable is on the heap
	Unused bool // the function doesn't: what it leads to may be gone where the function begins
	at     int  // in the block that begins a call's copy
}

// Limits of what is copied.
type Limits struct {
	Bytes int // of each string or slice
	Depth int // so deep structs, slices and pointers are opened
}

// Open reads where the types of an executable are described. Values whose names or types have one of the words are masked,
// see format.LooksSecret.
func Open(im *image.Image, words []string) (*Types, error) {
	data, err := im.DWARF()
	if err != nil {
		return nil, err
	}
	return &Types{image: im, data: data, words: words, known: make(map[dwarf.Offset]*Type), functions: make(map[uint64]uint32), Describe: func(format.Type) {}}, nil
}

// Of returns what is copied of a function's calls. The error says why nothing can be.
func (ts *Types) Of(f *image.Func, l Limits) (*Signature, error) {
	if ts.functionsAt == nil {
		ts.index()
	}
	at, ok := ts.functionsAt[f.Entry]
	if !ok {
		return nil, errors.New("the compiler has written nothing about it for debuggers")
	}
	r := ts.data.Reader()
	r.Seek(at)
	e, err := r.Next()
	if err != nil {
		return nil, err
	}
	return ts.signature(f, r, e, l)
}

// index reads where functions are described, and which types the runtime has described where.
func (ts *Types) index() {
	ts.functionsAt, ts.byRun = make(map[uint64]dwarf.Offset), make(map[uint64]dwarf.Offset)
	labels := dwarf.Offset(0)
	defer func() { ts.labeled = labels != 0 && ts.setsLabels(labels) }()
	base := ts.image.Types()
	r := ts.data.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		if low, ok := e.Val(dwarf.AttrLowpc).(uint64); ok && e.Tag == dwarf.TagSubprogram {
			ts.functionsAt[low] = e.Offset
		}
		if v, ok := e.Val(attrRuntime).(uint64); ok && v != 0 {
			if v < base { // it counts from where all descriptions begin
				v += base
			}
			ts.byRun[v] = e.Offset
			if name, _ := e.Val(dwarf.AttrName).(string); name == spanKey {
				ts.spanKey = v
			}
		}
		if e.Tag == dwarf.TagStructType && e.Val(dwarf.AttrName) == labelMap {
			labels = e.Offset
		}
		if e.Children && e.Tag != dwarf.TagCompileUnit {
			r.SkipChildren()
		}
	}
}

func (ts *Types) signature(f *image.Func, r *dwarf.Reader, e *dwarf.Entry, l Limits) (*Signature, error) {
	var args, results []Variable
	seen := make(map[string]bool)
	dictionary := -1 // so many arguments are before it; below 0: there is none
	if !ts.image.Since(27) {
		dictionary = dictionaryOf(f.Name)
	}
	for e.Children {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil || e.Tag == 0 {
			break
		}
		if e.Children {
			r.SkipChildren()
		}
		if e.Tag != dwarf.TagFormalParameter {
			continue
		}
		where, none := e.Val(dwarf.AttrLocation).([]byte)
		of, origin := e.Val(dwarf.AttrType).(dwarf.Offset)
		if !origin { // the function is inlined, too: the rest is with what all its copies share
			if e, of, err = ts.shared(e); err != nil {
				return nil, err
			}
		}
		t, err := ts.at(of)
		if err != nil {
			return nil, err
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		if name == ".dict" { // the dictionary of type parameters, as go1.27 has it
			dictionary = len(args)
		}
		if strings.HasPrefix(name, ".") {
			continue
		}
		if name != "_" && seen[name] { // the compiler has taken the variable apart, and describes it twice
			continue
		}
		seen[name] = true
		v := Variable{Name: name, Type: t}
		if name == "" || name[0] == '~' || name == "_" {
			v.Name = "_"
		}
		v.Masked = ts.hides(f, &v)
		if result, _ := e.Val(dwarf.AttrVarParam).(bool); result {
			results = append(results, v)
		} else {
			v.Unused = none && len(where) == 0
			args = append(args, v)
		}
	}
	a := new(assignment)
	switch dictionary {
	case 0:
		a.ints = 1
	case 1:
		a.hidden = 1
	}
	s := &Signature{}
	s.Args = ts.plan(args, a.of(args), l, ofArgs)
	// Results that are in no register are behind the arguments.
	where, last := (&assignment{stack: align(a.stack, word)}).of(results), []Piece(nil)
	s.Results = ts.plan(results, func(i int) []Piece {
		last = where(i)
		return last
	}, l, ofResults)
	if s.Results.Fails() && len(last) > 0 {
		s.failure = &last[0]
	}
	return s, nil
}

// Failure returns where a function returns an error that is its last result: the word that is 0 if there is none. It
// returns nil if the function has no such result, or is not known.
func (ts *Types) Failure(f *image.Func) *Piece {
	s, err := ts.Of(f, Limits{})
	if err != nil {
		return nil
	}
	return s.failure
}

// shared returns the entry that an entry refers to, and its type.
func (ts *Types) shared(e *dwarf.Entry) (*dwarf.Entry, dwarf.Offset, error) {
	at, _ := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	r := ts.data.Reader()
	r.Seek(at)
	o, err := r.Next()
	if err != nil || o == nil {
		return nil, 0, fmt.Errorf("no entry at %#x: %v", at, err)
	}
	of, ok := o.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return nil, 0, fmt.Errorf("a parameter without a type at %#x", at)
	}
	return o, of, nil
}

// closure matches the last part of the name of a function that is none of the source's own.
var closure = regexp.MustCompile(`^(func|gowrap|deferwrap)[0-9]|-range[0-9]`)

// dictionaryOf returns how many arguments a function has before the one that says what its type parameters are, by its
// name; -1: it has none. A function literal has it among what it holds.
func dictionaryOf(name string) int {
	open, end := strings.Index(name, "[go.shape."), strings.LastIndexByte(name, ']')
	if open < 0 || end < open {
		return -1
	}
	rest := strings.TrimPrefix(name[end+1:], ")")
	switch method, ok := strings.CutPrefix(rest, "."); {
	case rest == "":
		return 0
	case ok && !strings.Contains(method, ".") && !closure.MatchString(method):
		return 1
	}
	return -1
}

// hides reports whether a variable's values are masked by its name, which looks like that of a secret. If it has none, the
// function's name counts: ReadPassword returns a secret.
func (ts *Types) hides(f *image.Func, v *Variable) bool {
	if ts.words == nil {
		return false
	}
	name, t := v.Name, v.held()
	if t == nil {
		t = v.Type
	}
	if name == "_" {
		if t.plain() {
			return false
		}
		name, _, _ = strings.Cut(f.Name[strings.LastIndexByte(f.Name, '/')+1:], "[")
		name = name[strings.LastIndexByte(name, '.')+1:]
	}
	return format.LooksSecret(name, ts.words) || t.bytes() && format.LooksSecret(name, []string{"key"}) && !format.LooksSecret(name, public)
}

// public are words in the names of keys that are no secrets.
var public = []string{"public", "pub", "peer"}

// bytes reports whether values of the type are bytes.
func (t *Type) bytes() bool {
	if t.Kind != format.KindSlice && t.Kind != format.KindArray {
		return false
	}
	e := t.Elem()
	return e != nil && e.Kind == format.KindUint8
}

// plain reports whether values of the type say how something went: errors, numbers and truth values are no secrets.
func (t *Type) plain() bool {
	return t.Name == "error" || t.Kind >= format.KindBool && t.Kind <= format.KindComplex128
}

// masked reports whether a field is masked by its name.
func (ts *Types) masked(f *Field) bool {
	return ts.words != nil && format.LooksSecret(f.Name, ts.words)
}

// hidden reports whether a type's values are masked. Its name looks like that of a secret, or it has the method LogValue,
// by which it says what logs may hold.
func (t *Type) hidden() bool {
	words := t.types.words
	if t.Package == "" && !t.shape || words == nil {
		return false
	}
	if !t.maskable() {
		return false
	}
	if t.shape { // of a type parameter: its own type isn't known, and may be one that is masked
		return true
	}
	if t.secret == 0 {
		t.secret = 1
		base := t.Name[strings.IndexByte(t.Name, '.')+1:]
		if format.TypeLooksSecret(t.Package, t.Name, words) || t.types.image.Named(t.Package+"."+base+".LogValue") != nil {
			t.secret = 2
		}
	}
	return t.secret == 2
}

// maskable reports whether the type's values are masked if its name says so.
func (t *Type) maskable() bool {
	switch t.Kind {
	case format.KindArray, format.KindMap, format.KindSlice, format.KindString, format.KindStruct:
		return true
	}
	return false
}

// An assignment gives variables registers, by the rules of ABIInternal for amd64.
type assignment struct {
	ints, floats int // registers that are taken
	stack        int // bytes of the stack that are
	hidden       int // words that are inserted behind the first variable
}

// Registers that there are.
const (
	intRegisters   = 9
	floatRegisters = 15
)

// of returns what tells where the parts of variables are.
func (a *assignment) of(list []Variable) func(i int) []Piece {
	return func(i int) []Piece {
		pieces := a.variable(list[i].Type)
		if i == 0 {
			a.ints, a.hidden = a.ints+a.hidden, 0
		}
		return pieces
	}
}

// variable returns where the parts of a variable are.
func (a *assignment) variable(t *Type) (list []Piece) {
	if t.Size == 0 { // it takes a place on the stack
		a.stack = align(a.stack, t.align())
		return nil
	}
	tried := *a
	if list, ok := tried.registers(t, 0, nil); ok {
		*a = tried
		return list
	}
	a.stack = align(a.stack, t.align())
	for i := 0; i < t.Size; i += word {
		list = append(list, Piece{From: OnStack, Number: a.stack + i, At: i, Size: min(word, t.Size-i)})
	}
	a.stack += t.Size
	return list
}

// registers adds where the parts of a type are; ok is false if they don't fit in registers.
func (a *assignment) registers(t *Type, at int, list []Piece) (_ []Piece, ok bool) {
	whole := func(n, size int) ([]Piece, bool) {
		for i := range n {
			list = append(list, Piece{From: InInt, Number: a.ints, At: at + i*word, Size: size})
			a.ints++
		}
		return list, a.ints <= intRegisters
	}
	floating := func(n, size int) ([]Piece, bool) {
		for i := range n {
			list = append(list, Piece{From: InFloat, Number: a.floats, At: at + i*size, Size: size})
			a.floats++
		}
		return list, a.floats <= floatRegisters
	}
	switch t.Kind {
	case format.KindFloat32, format.KindFloat64:
		return floating(1, t.Size)
	case format.KindComplex64, format.KindComplex128:
		return floating(2, t.Size/2)
	case format.KindString, format.KindInterface:
		return whole(2, word)
	case format.KindSlice:
		return whole(3, word)
	case format.KindStruct:
		for _, f := range t.Fields {
			if list, ok = a.registers(f.Type, at+f.Offset, list); !ok {
				return list, false
			}
		}
		return list, true
	case format.KindArray:
		switch e := t.Elem(); {
		case t.Len == 0:
			return list, true
		case t.Len == 1 && e != nil:
			return a.registers(e, at, list)
		}
		return list, false
	}
	return whole(1, t.Size)
}

func align(n, to int) int { return (n + to - 1) &^ (to - 1) }

// align returns the type's alignment, bytes.
func (t *Type) align() int {
	switch t.Kind {
	case format.KindStruct:
		n := 1
		for _, f := range t.Fields {
			n = max(n, f.Type.align())
		}
		return n
	case format.KindArray:
		if e := t.Elem(); e != nil {
			return e.align()
		}
		return word
	case format.KindComplex64, format.KindComplex128:
		return t.Size / 2
	}
	return max(1, min(t.Size, word))
}
