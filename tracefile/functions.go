package tracefile

import (
	"sort"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Func is an instrumented function. It has the fields Name, as runtime.FuncForPC returns it,
// Package (import path), File and Line (of the func keyword). Three more are often nil. Groups are
// the sorted names of the groups that the function is in, directly or not. Roles are the built-in
// groups that it is in because of its parameters' types. Tiny are the names of functions that are
// part of this one, because the compiler inlines them. What else the embedded
// struct has is not in trace files.
type Func struct {
	function.Func
	Literal bool // a function literal

	// Names of the values that are recorded, _ for those without: receiver and parameters, results.
	// nil if none are.
	Args, Results []string

	// ArgTypes and ResultTypes are the types of these values as in the source, where they are
	// predeclared or slices of such. Those of others are empty, and the lists may be shorter.
	ArgTypes, ResultTypes []string
}

// A funcTable holds the functions with the ids from base on.
type funcTable struct {
	base  uint32
	pkg   string
	sites []format.Site
	vars  []string // that hold the functions' groups, see format.Facility.Vars
	left  format.Left
}

// newFuncTable makes a table of what a block says.
func newFuncTable(base uint32, pkg string, sites []format.Site, facility format.Facility) funcTable {
	qualified := make(map[string]string) // tiny functions, as runtime.FuncForPC gives them
	for i := range sites {
		s := &sites[i]
		for j, name := range s.Tiny {
			full, ok := qualified[name]
			if !ok {
				path, _ := names.Split(s.Name)
				full = path + "." + name
				qualified[name] = full
			}
			s.Tiny[j] = full
		}
	}
	return funcTable{base, pkg, sites, facility.Vars(len(sites)), facility.Left}
}

// funcTables are ordered by base and don't overlap. Ids are looked up by
// search: a damaged id then costs nothing, where an array would grow to it.
type funcTables []funcTable

// add adds a table. One that overlaps another is left out: a program gives no
// id twice, so it is the same one again.
func (t *funcTables) add(n funcTable) {
	s := *t
	i := sort.Search(len(s), func(i int) bool { return s[i].base >= n.base })
	if i > 0 && s[i-1].end() > n.base || i < len(s) && n.end() > s[i].base || len(n.sites) == 0 {
		return
	}
	s = append(s, funcTable{})
	copy(s[i+1:], s[i:])
	s[i] = n
	*t = s
}

// end returns the id after the last one.
func (t *funcTable) end() uint32 { return t.base + uint32(len(t.sites)) }

// Func returns the function with the given id, as in Event.Site, and reports whether the file has it.
func (f *File) Func(id uint32) (Func, bool) {
	id, _ = f.Sample(id)
	t := f.funcs.of(id)
	if t == nil {
		return Func{}, false
	}
	return f.function(t, id), true
}

// Sample returns the function and the group of a sample. Samples are calls that were recorded at
// random moments while the function was only counted. Their events have ids of their own: that of
// the function and that of a group, from 1 on. Of other ids Sample returns the id and 0.
func (f *File) Sample(id uint32) (function uint32, group int) {
	const most = 1 << format.SampleShift
	if id < most || f.funcs.of(id) != nil {
		return id, 0
	}
	return id & (most - 1), int(id >> format.SampleShift)
}

// function returns the function of table t with the given id.
func (f *File) function(t *funcTable, id uint32) Func {
	s := &t.sites[id-t.base]
	fn := Func{
		Func:    function.Func{Name: s.Name, Package: t.pkg, File: s.File, Line: s.Line, Tiny: s.Tiny},
		Literal: s.Flags&format.Closure != 0, Args: s.Args, Results: s.Results, ArgTypes: s.ArgTypes, ResultTypes: s.ResultTypes,
	}
	if t.vars != nil {
		fn.Groups = f.groups.Of(t.vars[id-t.base])
	}
	fn.Roles = f.groups.Roles(s.Flags.Roles())
	return fn
}

// identity returns what tells the function with the given id, which the table has, from others.
func (t *funcTable) identity(id uint32) function.Identity {
	s := &t.sites[id-t.base]
	return function.Identity{Name: s.Name, Package: t.pkg, File: s.File, Line: s.Line}
}

// of returns the table that has the function with the given id, nil if none has.
func (t funcTables) of(id uint32) *funcTable {
	i := sort.Search(len(t), func(i int) bool { return t[i].end() > id })
	if i == len(t) || id < t[i].base {
		return nil
	}
	return &t[i]
}

// Funcs calls yield for each function in the order of ids, until it returns false.
// From Go 1.23 on it can stand in a range clause.
func (f *File) Funcs(yield func(id uint32, fn Func) bool) {
	for i := range f.funcs {
		t := &f.funcs[i]
		for j := range t.sites {
			if id := t.base + uint32(j); !yield(id, f.function(t, id)) {
				return
			}
		}
	}
}

// A LeftOut says how many functions are not instrumented, and why. Packages of which no function is
// instrumented are not in it.
//
//	Functions int      // all of these
//	Tiny      []string // names of those that the compiler inlines, sorted
//	Literals  int      // function literals
//	Unchosen  int      // not included, excluded, or too small
//	Unfit     int      // can't be instrumented
type LeftOut = function.LeftOut

// LeftOut returns which functions of the same packages are not instrumented.
func (f *File) LeftOut() (l LeftOut) {
	for i := range f.funcs {
		t := &f.funcs[i]
		path, _ := names.Split(t.sites[0].Name)
		l.Add(t.left.Of(path))
	}
	return l
}

// count returns the number of functions.
func (t funcTables) count() int {
	n := 0
	for i := range t {
		n += len(t[i].sites)
	}
	return n
}
