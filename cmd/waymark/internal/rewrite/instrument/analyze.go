package instrument

import (
	"cmp"
	"fmt"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/candidate"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/inlinecost"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/role"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Options say what may be rewritten and what to put in.
type Options struct {
	syntax.Config

	// Closures includes function literals.
	Closures bool

	// MinCost is the inline cost from which on a function isn't tiny. 0 means 81, the first that is
	// over the compiler's budget; with a negative one, no function is tiny.
	MinCost int

	// Parameters whose names look like one of the words in Redact are passed on as masked, see
	// format.LooksSecret.
	Redact []string

	// Stringers has values recorded as the text that their own methods return.
	Stringers bool

	// Settings are for the program, see package agent: what it does unless its environment says
	// otherwise.
	Settings string

	// Imports are packages that the generated file imports for their effect.
	Imports []string

	// NoCode has functions registered only: they stay as they are, and can't be switched on.
	NoCode bool

	// Providers has provider types of the library's package probe get locations in the program's file.
	Providers bool

	// NoDirectives has directives ignored, those with mistakes too.
	NoDirectives bool

	// Spans has calls that begin traces hand on their contexts, requests and messages, which may name the
	// span that they are in.
	Spans bool

	// Library is the path of the package whose type Group is that of groups; empty means
	// directive.LibraryPath.
	Library string
}

func (o *Options) library() string { return cmp.Or(o.Library, directive.LibraryPath) }

// A Func is a function, a method or a function literal, and what is decided about it.
type Func struct {
	*candidate.Func
	Mark *directive.Mark // what directives say of it, nil if there is none

	// Cost estimates the compiler's inline cost. IsTiny says that the compiler would inline the
	// function, and that the cost is below Options.MinCost. It also says that the function
	// neither waits nor calls others in a loop.
	Cost   int
	IsTiny bool

	// The decision. Reason says why the function isn't instrumented. Args and Results have its
	// arguments and results recorded; they are there anyway where directives put the function into
	// a group, for its observers.
	Instrument    bool
	Reason        string
	Args, Results bool

	// Probed has the function get USDT probes, for its entry and its return.
	Probed bool

	roles   format.SiteFlags
	carrier []int // parameters that may name the span that a call is in
	probing probing
	site    int    // index in the site table, if instrumented
	exits   *exits // of an instrumented function
	fails   bool   // its last result is an error: report whether there is one
}

// Tiny is the reason why a function is left out that the compiler would inline.
const Tiny = "tiny: the compiler would inline it"

// literal is the reason why a function literal is left out.
const literal = "function literal"

// decide makes the decision that holds unless the caller makes another one.
func (f *Func) decide() {
	switch {
	case f.Never != "":
		f.Reason = f.Never
	case f.IsTiny && f.Mark == nil:
		f.Reason = Tiny
	default:
		f.Instrument = true
	}
}

// An Analysis is what is known of the functions of a unit.
type Analysis struct {
	// Funcs are the functions of the unit's own files, in the compiler's order of files. The caller
	// may decide otherwise about those of which Never is empty, before it calls Plan.
	Funcs []*Func

	// Groups are those that the unit's own files declare.
	Groups []directive.GroupVar

	opts  *Options
	tree  *syntax.Tree
	costs *inlinecost.Estimator
	set   *directive.Set
}

// Analyze finds the functions of u. It leaves out tiny ones, and all that can't be instrumented.
//
// An error says that the unit can't be rewritten at all; it is directive.Diagnostics if directives
// have mistakes.
func Analyze(u *syntax.Unit, o *Options) (*Analysis, error) {
	if len(u.Files) == 0 {
		return nil, fmt.Errorf("package %s: no files", u.ImportPath)
	}
	a := &Analysis{opts: o, tree: syntax.Parse(u, &o.Config), set: new(directive.Set)}
	fl := flow.Of(a.tree)
	own, with := candidate.List(a.tree, fl)
	if !o.NoDirectives {
		var err error
		if a.set, err = directive.Read(a.tree, own, with, o.library()); err != nil {
			return nil, err
		}
	}
	a.Groups = a.set.Groups
	a.costs = inlinecost.New(a.tree, fl)
	roles := role.New(a.tree)
	for _, c := range own {
		f := &Func{Func: c, Mark: a.set.Of(c), roles: roles.Of(c)}
		f.Roles = f.roles.Roles()
		a.estimate(f)
		if o.Spans {
			f.carrier = roles.Carriers(c)
		}
		if f.Lit != nil && !o.Closures && (f.roles&role.Called == 0 || role.HandsOn(c)) {
			f.Never = cmp.Or(f.Never, literal)
		}
		f.decide()
		a.Funcs = append(a.Funcs, f)
	}
	return a, nil
}

// estimate finds out what f costs, and whether it is tiny.
func (a *Analysis) estimate(f *Func) {
	if f.Body == nil {
		return
	}
	var est inlinecost.Estimate
	if f.Lit != nil {
		est = a.costs.Literal(f.Lit)
	} else {
		est = a.costs.Func(f.Decl)
	}
	f.Cost = est.Cost
	f.IsTiny = est.Inlinable && est.Cost < cmp.Or(a.opts.MinCost, inlinecost.Budget+1) &&
		!a.called(f) && !a.costs.Slow(f.Body)
}

// called reports whether only libraries or the runtime call f. Such calls are never inlined.
func (a *Analysis) called(f *Func) bool {
	return f.roles&role.Called != 0 || calledByRuntime(a.tree.Unit, f)
}

// calledByRuntime reports whether no Go code calls f, so that it is never inlined however small it
// is.
func calledByRuntime(u *syntax.Unit, f *Func) bool {
	return f.Decl != nil && f.Decl.Recv == nil && (f.Base == "init" || f.Base == "main" && u.Main)
}
