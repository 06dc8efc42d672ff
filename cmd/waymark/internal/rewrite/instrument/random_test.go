package instrument

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A programmer writes random Go functions that compile, end, and say what they do.
//
// What it writes needs no imports, only helpers. Names at package level begin with
// its name, so that the files of several fit into one package. Each function says
// its name first, and then has a random body. The body has statements of every kind,
// closures, and defers that change results and recover. It has panics of its own and
// of the runtime, and returns of all shapes. A function calls those before it only,
// and loops are bounded. Each call takes some of the fuel that all have together;
// without fuel it panics. So a program ends.
//
// The same seed gives the same program. To see what a program that fails comes down
// to, take statements away: with a lower size, and then by hand.
type programmer struct {
	*rand.Rand
	strings.Builder
	name  string
	size  int // statements of a function, about
	funcs []signature

	// Of the function being written.
	in     *body
	names  int // declared so far
	indent int
}

// A signature is a function that can be called. Those of methods begin with their
// receiver, generic ones with a parameter of the type T.
type signature struct {
	name            string // with a dot in front if it is a method
	params, results []variable
	generic         bool
}

type variable struct{ name, typ string }

// A body is what is known where the next statement goes.
type body struct {
	scope
	results []variable
	targets []target // that a branch may leave, innermost last
	left    int      // statements
	depth   int      // of statements
	scopes  int      // open in this function
}

// A scope is what declarations change up to its end.
type scope struct {
	vars   []variable      // of all scopes around, too
	here   map[string]bool // declared in this one
	hidden bool            // a result is shadowed
}

// A target is a statement that break or continue may name.
type target struct {
	label string
	loop  bool // continue may name it too
}

// varTypes are the types of variables, those more often that make more expressions.
var varTypes = []string{"int", "int", "int", "string", "bool", "error", "[]int", "func(int) int", "*box", "uint8"}

// helpers are what the programs use, as the type checker needs them; in support they
// have bodies.
const helpers = `
var zero, one, two, ten = 0, 1, 2, 10

var few, some = uint8(1), uint8(5)

type box struct{ n int; s string }

type fault string

func (f fault) Error() string { return string(f) }

// note has the program say something.
func note(args ...any)

// enter says that a function was called. It and spend take fuel, or panic if none is left.
func enter(name string)

func spend()

func refuel()

// text returns a value as a string.
func text(arg any) string

// elsewhere runs f on another goroutine and waits until it ends, perhaps of goexit.
func elsewhere(f func())

func goexit()
`

// newProgram returns the source of a file, and the name of the function to call.
func newProgram(seed uint64, size int) (source, entry string) {
	p := &programmer{Rand: rand.New(rand.NewPCG(seed, 1)), name: fmt.Sprintf("p%d", seed), size: size}
	p.line("package main")
	p.line("")
	p.line("type %spair[T any] struct { one, other T }", p.name)
	for i := range 3 + p.IntN(5) {
		p.function(i)
	}
	p.initialiser()
	entry = p.name + "main"
	p.line("func %s() {", entry)
	for _, f := range p.funcs {
		for range 3 {
			p.in = &body{depth: 9}
			p.line("\trefuel()")
			p.line("\tfunc() { defer func() { if r := recover(); r != nil { note(\"%s panics:\", r) } }(); %s }()", f.name, p.discard(f))
		}
	}
	p.line("}")
	return p.String(), entry
}

// initialiser declares variables that call functions before main does, and an init.
func (p *programmer) initialiser() {
	for _, f := range p.funcs {
		if len(f.results) == 1 && p.chance(3) && f.name[0] != '.' {
			p.in = &body{depth: 9}
			p.line("var %sv%d = func() (r any) { refuel(); defer func() { r = recover() }(); return %s }()", p.name, p.fresh(), p.call(f, ""))
		}
	}
	p.line("func init() { note(%q) }", p.name)
}

func (p *programmer) line(format string, args ...any) {
	p.WriteString(strings.Repeat("\t", p.indent))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// chance is true once in n times.
func (p *programmer) chance(n int) bool { return p.IntN(n) == 0 }

func pick[T any](p *programmer, list []T) T { return list[p.IntN(len(list))] }

func (p *programmer) fresh() int { p.names++; return p.names }

// function writes a function, a method or a generic function.
func (p *programmer) function(i int) {
	f := signature{name: fmt.Sprintf("%sf%d", p.name, i)}
	f.params, f.results = p.variables("a", 3), p.variables("r", 3)
	said, receiver := f.name, ""
	switch p.IntN(5) {
	case 0:
		f.generic = true
		f.params = append([]variable{{"x", "T"}}, f.params...)
		if p.chance(2) {
			f.results = append(f.results, variable{"t", "T"})
		}
	case 1:
		f.params = append([]variable{{"b", "*box"}}, f.params...)
		receiver = "(" + pick(p, []string{"b *box", "b *box", "*box", "_ *box"}) + ") "
		said, f.name = "(*box)."+f.name, "."+f.name
	}
	p.in = &body{left: p.size, results: f.results}
	params, results := p.list(f.params, p.chance(5)), p.resultList()
	var list string
	switch {
	case receiver != "":
		p.in.vars = listedAs(f.params[1:], params)
		if strings.HasPrefix(receiver, "(b ") {
			p.in.vars = append(p.in.vars, f.params[0])
		}
		list = receiver + f.name[1:] + "(" + joined(params[1:])
	case f.generic:
		p.in.vars = listedAs(f.params, params)
		said += "[...]"
		list = f.name + "[T any](" + joined(params)
	default:
		p.in.vars = listedAs(f.params, params)
		list = f.name + "(" + joined(params)
	}
	p.in.vars = append(p.in.vars, named(p.in.results)...)
	p.line("func %s)%s {", list, results)
	p.indent++
	p.line("enter(%q)", said)
	p.block()
	p.end()
	p.indent--
	p.line("}")
	p.line("")
	p.funcs = append(p.funcs, f)
}

// variables returns up to n variables of random types.
func (p *programmer) variables(prefix string, n int) []variable {
	var list []variable
	for i := range p.IntN(n + 1) {
		list = append(list, variable{fmt.Sprint(prefix, i), pick(p, varTypes)})
	}
	return list
}

// list writes parameters, some of them without a name; all without if bare.
func (p *programmer) list(vars []variable, bare bool) []string {
	var list []string
	for _, v := range vars {
		switch {
		case bare:
			list = append(list, v.typ)
		case p.chance(6):
			list = append(list, "_ "+v.typ)
		default:
			list = append(list, v.name+" "+v.typ)
		}
	}
	return list
}

// listedAs returns the variables that have a name where they were listed.
func listedAs(vars []variable, listed []string) []variable {
	var list []variable
	for i, v := range vars {
		if strings.HasPrefix(listed[len(listed)-len(vars)+i], v.name+" ") {
			list = append(list, v)
		}
	}
	return list
}

// resultList writes the results, with names, with some, or without. Those of the
// body lose theirs where they have none.
func (p *programmer) resultList() string {
	results := append([]variable(nil), p.in.results...)
	p.in.results = results
	if len(results) == 0 {
		return ""
	}
	if p.chance(2) {
		var list []string
		for i := range results {
			list = append(list, results[i].typ)
			results[i].name = ""
		}
		if len(list) == 1 && !strings.HasPrefix(list[0], "func") {
			return " " + list[0]
		}
		return " (" + joined(list) + ")"
	}
	var list []string
	for i := range results {
		if p.chance(5) {
			results[i].name = "_"
		}
		list = append(list, results[i].name+" "+results[i].typ)
	}
	return " (" + joined(list) + ")"
}

// named returns the variables with names that can be used.
func named(vars []variable) []variable {
	var list []variable
	for _, v := range vars {
		if v.name != "" && v.name != "_" {
			list = append(list, v)
		}
	}
	return list
}

func joined(list []string) string { return strings.Join(list, ", ") }
