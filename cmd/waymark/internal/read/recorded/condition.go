// Package recorded decides conditions on calls that were recorded, and finds values in them by the names
// that conditions have.
//
//	c := recorded.New(program) // of package expression
//	if err := c.Check(set.Processes, nil); err != nil {
//		return err // it can hold for no call
//	}
//	m := c.Matcher(file, scale.Nanoseconds)
//	slots, ok := m.Enter(call) // where a call begins
//	ok = ok && m.Exit(call, slots)
//
// The conditions are those of running programs, and package condition decides them. There it finds
// values in memory. Here a Path finds them in what was recorded, and the condition is about numbers,
// strings and nil only.
package recorded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// A Condition chooses recorded calls. It is not for several goroutines at a time.
type Condition struct {
	program *condition.Program // as it was compiled, for Check
	flat    *condition.Program // reads values by their place among args and results
	args    []Path
	results []Path
	names   [2][]string // of args and results
	misfits string      // how many functions it does not fit
	wrong   []wrong
}

// New returns the condition of a program.
func New(p *condition.Program) *Condition {
	c := &Condition{program: p, flat: &condition.Program{Text: p.Text}}
	c.flat.Enter, c.flat.Exit = c.flatten(p.Enter), c.flatten(p.Exit)
	for _, code := range p.Slots {
		c.flat.Slots = append(c.flat.Slots, c.flatten(code))
	}
	return c
}

// failed is the name of what takes the place of Failed: recordings say it without the results.
const failed = "error"

// flatten returns the code without ways into values.
func (c *Condition) flatten(code condition.Code) condition.Code {
	code = slices.Clone(code)
	for i := range code {
		in := &code[i]
		switch in.Op {
		case condition.Failed:
			*in = condition.Instruction{Op: condition.Value, Root: condition.Result}
			in.Name = c.add(Path{Instruction: condition.Instruction{Root: condition.Result, Name: failed}, failed: true})
		case condition.Value:
			p := Path{Instruction: *in, nilOnly: code.ComparesNil(i)}
			*in = condition.Instruction{Op: condition.Value, Root: in.Root, Name: c.add(p)}
		}
	}
	return code
}

// add adds a value that is read, and returns its name in the flat program.
func (c *Condition) add(p Path) string {
	list := &c.args
	if p.Root == condition.Result {
		list = &c.results
	}
	name := p.label()
	for ; ; name += " " { // the same value may be read in several ways
		i := slices.Index(c.names[p.Root], name)
		if i < 0 {
			*list = append(*list, p)
			c.names[p.Root] = append(c.names[p.Root], name)
			return name
		}
		if other := &(*list)[i]; other.nilOnly == p.nilOnly && other.failed == p.failed && other.length() == p.length() {
			return name
		}
	}
}

// Text returns the condition as the user wrote it.
func (c *Condition) Text() string { return c.program.Text }

// Notes returns lines about calls for which the condition turned out to be none: one for each reason,
// with the first function.
func (c *Condition) Notes() (lines []string) {
	if c.misfits != "" {
		lines = append(lines, c.misfits)
	}
	for _, w := range c.wrong {
		line := fmt.Sprintf("condition %s: %s: %s; such calls are rejected", c.Text(), w.functions[0], w.why)
		if n := len(w.functions) - 1; n > 0 {
			line += " (and those of " + units.Things(uint64(n), "more function") + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// A wrong says why the condition can't be decided for some calls of functions.
type wrong struct {
	why       string
	functions []string
}

// reject notes why a call of a function is rejected.
func (c *Condition) reject(function, why string) {
	i := slices.IndexFunc(c.wrong, func(w wrong) bool { return w.why == why })
	if i < 0 {
		i = len(c.wrong)
		c.wrong = append(c.wrong, wrong{why: why})
	}
	if w := &c.wrong[i]; !slices.Contains(w.functions, function) {
		w.functions = append(w.functions, function)
	}
}

// fits returns an error if the condition can hold for no call of f.
func (c *Condition) fits(f *tracefile.Func) error {
	p := *c.program
	if p.Exit = slices.Clone(p.Exit); len(p.Exit) > 0 {
		for i := range p.Exit {
			if p.Exit[i].Op == condition.Failed {
				p.Exit[i].Op = condition.Panicked // known, too, whatever was recorded of results
			}
		}
	}
	return p.Fits(&condition.Function{Name: f.Name, Args: f.Args, Results: f.Results, ArgTypes: f.ArgTypes, ResultTypes: f.ResultTypes})
}

// Check returns an error if the condition can hold for no call of the functions in files that show
// chooses; nil chooses all. It notes how many others it can hold for.
func (c *Condition) Check(files []*tracefile.File, show func(*function.Func) bool) error {
	list := functions(files, show)
	var first error
	misfits := 0
	for _, f := range list {
		if err := c.fits(f); err != nil {
			if misfits++; first == nil {
				first = fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	switch {
	case misfits == 0:
		return nil
	case misfits < len(list):
		c.misfits = fmt.Sprintf("the condition %s fits %d of %s: calls of the others are left out", c.Text(), len(list)-misfits, units.Things(uint64(len(list)), "function"))
		return nil
	case misfits > 1:
		first = fmt.Errorf("%w (the first of %d functions)", first, misfits)
		for _, p := range slices.Concat(c.args, c.results) {
			if err := p.lacking(list); err != nil {
				first = err
				break
			}
		}
	}
	return fmt.Errorf("the condition %s can hold for no call: %w", c.Text(), first)
}

// functions returns the functions in files that show chooses.
func functions(files []*tracefile.File, show func(*function.Func) bool) (list []*tracefile.Func) {
	for _, file := range files {
		file.Funcs(func(_ uint32, f tracefile.Func) bool {
			if show == nil || show(&f.Func) {
				list = append(list, &f)
			}
			return true
		})
	}
	return list
}

// Check returns an error if none of the functions in files that show chooses has the value; nil chooses
// all.
func (p *Path) Check(files []*tracefile.File, show func(*function.Func) bool) error {
	return p.lacking(functions(files, show))
}

// mostNames is how many names an error lists.
const mostNames = 10

// lacking returns an error if none of the functions has the value.
func (p *Path) lacking(list []*tracefile.Func) error {
	if p.failed {
		return nil
	}
	var names []string
	recorded := false
	for _, f := range list {
		if p.index(f) >= 0 {
			return nil
		}
		recorded = recorded || len(p.of(f)) > 0
		names = append(names, p.of(f)...)
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "_" })
	switch {
	case !recorded:
		return fmt.Errorf("no %s are recorded: record with --%s", p.Root.Flag(), p.Root.Flag())
	case p.Name == "":
		return fmt.Errorf("no function has %d %s", p.Index+1, p.Root.Flag())
	}
	hint := pattern.IsIt(p.Name, names, 3)
	switch {
	case len(names) == 0:
		hint = fmt.Sprintf(": they have no names, write %s[0]", p.Root.Flag())
	case hint == "" && len(names) <= mostNames:
		hint = ": there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("no function has a value %s.%s%s", p.Root.Flag(), p.Name, hint)
}
