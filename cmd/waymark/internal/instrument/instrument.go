package instrument

import (
	"bytes"
	"cmp"
	"fmt"
	"go/doc"
	"go/types"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/edit"
)

// A Kind says which of a folder's packages a Group is.
type Kind int

const (
	Package Kind = iota // the package itself
	Test                // its _test.go files of the same package
	XTest               // the external test package, package p_test
)

// A Group is a set of files of one package that are rewritten together and
// share one site table.
type Group struct {
	// ImportPath is the package's path as the compiler gets it, which begins
	// its functions' names; for an XTest group it ends in "_test". Main says
	// that the package is linked as a command, whose path is "main". (A main
	// package under test isn't: the go command compiles it as a library.)
	ImportPath string
	Main       bool

	Kind Kind

	// GoVersion is the language version of go.mod, such as "go1.22"; empty
	// means the newest.
	GoVersion string

	// Files are the Go files to rewrite, in the order in which the go command
	// lists them: by name.
	Files []File

	// With are Go files that are compiled with Files and are rewritten in a
	// group of their own: a Test group's package files. They come first in
	// the compiler's order.
	With []File

	// Others are the remaining files of the folder. Their names, and their
	// sources where given, keep generated names unique.
	Others []File
}

// A File is one source file.
type File struct {
	Path   string // for positions; absolute, if Func.File is to be
	Source []byte
	Cgo    bool // the cgo command reads it; those with an import "C" need not say so
}

// Options say what to rewrite and what to put in.
type Options struct {
	// Closures includes function literals.
	Closures bool

	// MinCost is the inline cost from which on a function isn't tiny. 0
	// means 81, the first that is over the compiler's budget; with a negative
	// one, no function is tiny.
	MinCost int

	// Select has the last word on a function that can be instrumented. When
	// it says no, it gives the reason. A nil Select leaves tiny functions out.
	Select func(*Func) (bool, string)

	// Values says whether the arguments and the results of an instrumented function
	// can be recorded; nil means neither. Parameters whose names look like one of the
	// words in Redact are passed on as masked, see format.LooksSecret.
	Values func(*Func) (args, results bool)
	Redact []string

	// Stringers has values recorded as the text that their own methods give.
	Stringers bool

	// Settings are for the program, see package agent: what it does unless its
	// environment says otherwise.
	Settings string

	// Imports are packages that the generated file imports for their effect.
	Imports []string

	// Runtime is the path of the package with the hooks; empty means
	// "runtime".
	Runtime string

	// NoCode has functions registered only: they stay as they are, and can't be switched on.
	NoCode bool

	// NoDirectives has directives ignored, those with mistakes too.
	NoDirectives bool

	// Library is the path of the package whose type Group is that of groups; empty
	// means github.com/waymark-go/waymark.
	Library string

	// Table encodes the sites for the generated file. A nil Table gives an
	// empty table.
	Table func(*Table) string

	// Importer finds the types of other packages. They make the estimate of
	// costs better and keep a function that returns from within a loop over
	// an imported type's value from being taken for one that returns from
	// within a range-over-func loop. A nil Importer leaves them unknown.
	Importer types.Importer

	// PackageName gives the name of the package with that path, empty if it isn't known. It tells which import a
	// directive means. A nil PackageName leaves them to be guessed.
	PackageName func(path string) string

	// GOOS and GOARCH are the target's. They tell which literals there are
	// that depend on runtime.GOOS and runtime.GOARCH; empty means not known.
	GOOS, GOARCH string

	// Toolchain is the version of the Go release that compiles the files,
	// such as "go1.26.8"; literals in range-over-func loops have other names
	// since Go 1.27. Empty means 1.26.
	Toolchain string
}

// A Func is a function, a method or a function literal, and what was decided
// about it. Literals that the compiler drops, because control can't reach
// them, aren't Funcs.
type Func struct {
	// Name is what runtime.FuncForPC gives: example.com/m/p.(*T).M,
	// example.com/m/p.G[...], main.F.func1.
	Name string

	// Package, Recv and Base are the parts of the name for matching: the
	// import path, the receiver's type without star and type parameters, and
	// the function's own name. A literal has those of the declared function
	// that it stands in, with the rest of its name in Base ("F.func1.2").
	Package, Recv, Base string

	// File and Line are the position of the func keyword, with //line
	// directives applied as the compiler does.
	File string
	Line int

	Closure bool // a function literal
	Traced  bool // directives put it into a group, or make it an info function

	// Of a traced one: its comment, its name and id for tracing, the variable that holds the group; of
	// an info function NONE, ENTER or EXIT instead.
	Doc     string
	Tracing string
	ID      int
	Group   string
	Info    string

	// Cost estimates the compiler's inline cost. Tiny says that the compiler
	// would inline the function and that the cost is below Options.MinCost.
	Cost int
	Tiny bool

	Instrumented bool
	Reason       string // why it isn't instrumented
}

// A Site is one instrumented function; Index is its place in the package's
// site table.
type Site struct {
	Index int
	Func

	// Names of the values that can be recorded, _ for those without: receiver and
	// parameters, results. nil if none can.
	Args, Results []string
}

// A Table is what the generated file says of the instrumented functions.
type Table struct {
	Sites []Site

	// Groups are the variables that hold groups of functions, with their packages, as in
	// example.com/m/p.IO.
	Groups []string

	// Traced are the functions with directives, sorted by their tracing names. Their ids count up from First, as
	// those of the package's own files come before those of its tests.
	First  int
	Traced []Traced

	// Docs are the comments of variables that hold groups, of those whose names are known.
	Docs []GroupDoc
}

// A GroupDoc is what a variable's comment says of the group that it holds: the first sentence.
type GroupDoc struct{ Name, Doc string }

// A Traced is a function with directives.
type Traced struct {
	Name  string // that tracing knows it by
	Site  int    // its index in Sites; -1 if it was left out, but has its id
	Group int    // index in Groups; -1 of an info function
	Point string // of an info function: enter, exit or nothing
	Doc   string // the first sentence of its comment
}

// A Rewritten is a file as it is to be compiled.
type Rewritten struct {
	Path    string
	Source  []byte
	Changed bool
	Runs    []edit.Run // what Source keeps of a file that is changed
	Reason  string     // why nothing of the file could be rewritten, if so
}

// A Result is a rewritten Group.
type Result struct {
	Files     []Rewritten // as in Group.Files, in the same order
	Generated *Rewritten  // the file to add to the folder; nil if none
	Table     Table
	Groups    []GroupVar // declared in Group.Files
	Funcs     []Func     // of Group.Files, in the compiler's order of files
}

// Rewrite instruments the functions of g. It does no I/O and doesn't change
// what it is given; the same input gives the same bytes.
//
// A file with syntax errors or one that waymark has already rewritten comes
// back unchanged, with the reason. An error says that the group can't be
// rewritten at all; it is Diagnostics if directives have mistakes.
func Rewrite(g *Group, o *Options) (*Result, error) {
	if len(g.Files) == 0 {
		return nil, fmt.Errorf("package %s: no files", g.ImportPath)
	}
	u := load(g, o)
	funcs, with := collect(u)
	d := readDirectives(u)
	traced := d.all(funcs, with)
	first := 0
	for _, f := range with {
		if f.tracing != "" {
			first++
		}
	}
	for i, f := range traced {
		f.describe(first + i)
	}
	if err := d.mistakes(); err != nil {
		return nil, err
	}
	decide(u, funcs)

	names, err := newNames(g)
	if err != nil {
		return nil, err
	}
	res := &Result{}
	for _, f := range funcs {
		if f.Instrumented {
			f.site = len(res.Table.Sites)
			site := Site{Index: f.site, Func: f.Func}
			if f.args {
				site.Args = valueNames(f.params())
			}
			if f.results {
				site.Results = valueNames(f.typ.Results)
			}
			res.Table.Sites = append(res.Table.Sites, site)
		}
		res.Funcs = append(res.Funcs, f.Func)
	}
	res.Table.First = first
	groups := res.Table.trace(traced)
	res.Groups = groupVars(u)
	if !o.NoDirectives {
		res.Table.document(res.Groups)
	}
	for _, src := range u.files {
		rw, err := rewriteFile(src, u, names)
		if err != nil {
			return nil, err
		}
		res.Files = append(res.Files, rw)
	}
	res.Generated = generate(u, names, &res.Table, groups)
	return res, nil
}

// Check finds the mistakes in the directives of a group, and which variables they take for groups. It
// doesn't know whether these are.
func Check(g *Group, o *Options) (Diagnostics, []GroupUse) {
	u := load(g, o)
	for _, src := range u.build {
		if src.reason == byCgo {
			src.reason = "" // what it says counts, in the file that cgo made it of
		}
	}
	funcs, with := collect(u)
	d := readDirectives(u)
	d.all(funcs, with)
	var uses []GroupUse
	for _, ref := range d.vars.refs {
		if ref.by.src.own {
			uses = append(uses, GroupUse{u.place(ref.by.pos), ref.path, ref.name})
		}
	}
	slices.SortFunc(uses, func(a, b GroupUse) int { return comparePositions(a.Pos, b.Pos) })
	list, _ := d.mistakes().(Diagnostics)
	return list, uses
}

// Groups gives the groups that the files declare.
func Groups(g *Group, o *Options) []GroupVar {
	for _, f := range g.Files {
		if bytes.Contains(f.Source, []byte("NewGroup(")) {
			return groupVars(load(g, o))
		}
	}
	return nil
}

// A GroupUse is a variable that a directive names, and the first place where one does.
type GroupUse struct {
	Place
	Package, Name string
}

// describe fills in what is said of a function with directives.
func (f *function) describe(id int) {
	f.Doc, f.Tracing, f.ID = firstText(f.decl.Doc), f.tracing, id
	if f.group != nil {
		f.Func.Group = f.group.path + "." + f.group.name
	} else {
		f.Info = cmp.Or(strings.ToUpper(f.point), "NONE")
	}
}

// trace fills in what is said of functions with directives, and gives the variables
// that hold their groups.
func (t *Table) trace(traced []*function) (groups []*groupRef) {
	for _, f := range traced {
		tr := Traced{Name: f.tracing, Site: -1, Group: -1, Point: f.point, Doc: FirstSentence(f.Doc)}
		if f.Instrumented {
			tr.Site = f.site
		}
		if f.group != nil {
			if tr.Group = slices.Index(groups, f.group); tr.Group < 0 {
				tr.Group = len(groups)
				groups = append(groups, f.group)
				t.Groups = append(t.Groups, f.group.path+"."+f.group.name)
			}
		}
		t.Traced = append(t.Traced, tr)
	}
	return groups
}

// document fills in what comments say of groups.
func (t *Table) document(groups []GroupVar) {
	for _, g := range groups {
		if doc := FirstSentence(g.Doc); g.Name != "" && doc != "" {
			t.Docs = append(t.Docs, GroupDoc{g.Name, doc})
		}
	}
}

// FirstSentence gives the beginning of a comment's text, as lists of packages do. Programs carry it, so it is cut where it
// is long.
func FirstSentence(text string) string {
	const limit = 200 // bytes
	s := new(doc.Package).Synopsis(text)
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "..."
}
