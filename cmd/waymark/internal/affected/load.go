package affected

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

// Options say which packages a state is of.
type Options struct {
	Env      *gocmd.Env
	Flags    gocmd.Flags // of go test
	Args     []string    // that go test passes on to the tests
	Packages []string    // as the go command takes them
	Ignore   string      // a file that is none of the sources: the map
	Copy     bool        // the sources are a copy, with all files that are in the folder
	Library  *Library    // of the states that are compared; nil: of this one only
}

// A Library has the types of packages that are in none of the user's modules. Two states that are compared have most of
// them in common, and to check them takes longer than all else.
type Library struct {
	fset  *token.FileSet
	types map[libraryKey]*types.Package
}

type libraryKey struct{ dir, importPath, files string }

// NewLibrary returns an empty library.
func NewLibrary() *Library {
	return &Library{fset: token.NewFileSet(), types: make(map[libraryKey]*types.Package)}
}

// A listed package is what go list says of it. Packages that are compiled anew for a test are listed
// under a path such as "p [q.test]".
type listed struct {
	Dir, ImportPath, Name, ForTest string
	Standard, DepOnly              bool
	Module                         *gocmd.Module
	GoFiles, CgoFiles              []string
	CFiles, CXXFiles, MFiles       []string
	HFiles, FFiles, SFiles         []string
	SwigFiles, SwigCXXFiles        []string
	SysoFiles, EmbedFiles          []string
	Imports                        []string
	ImportMap                      map[string]string
	Error                          *gocmd.PackageError
}

const listedFields = "-json=Dir,ImportPath,Name,ForTest,Standard,DepOnly,Module,GoFiles,CgoFiles,CFiles,CXXFiles,MFiles," +
	"HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles,EmbedFiles,Imports,ImportMap,Error"

// main reports whether the package is one of the user's modules.
func (p *listed) main() bool { return !p.Standard && p.Module != nil && p.Module.Main }

// testMain reports whether the package is a program that the go command has made of tests.
func (p *listed) testMain() bool { return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") }

// path returns the import path of the package's sources.
func (p *listed) path() string {
	path, _, _ := strings.Cut(p.ImportPath, " [")
	return path
}

// foreign returns the files that are compiled, but are not plain Go.
func (p *listed) foreign() []string {
	return slices.Concat(p.CgoFiles, p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles, p.SwigFiles, p.SwigCXXFiles, p.SysoFiles)
}

func list(o Options) (all []*listed, err error) {
	args := append([]string{"list", "-e", "-deps", "-test", listedFields}, o.Flags.ForList()...)
	out, err := o.Env.Output(append(append(args, "-pgo=off", "--"), o.Packages...)...)
	if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

// A loader checks the types of packages, in the order of their imports.
type loader struct {
	*State
	*Library
	types   map[string]*types.Package
	hashed  map[string]bool // packages whose declarations are in the state
	tested  map[string]bool // paths of packages that are listed with their tests
	starts  map[string]bool // packages of others that may start programs
	sources map[string][]byte

	closures map[string]bool // variables that may hold functions with variables of their own
}

// Load returns the state of the sources that the go command finds.
func Load(o Options) (*State, error) {
	all, err := list(o)
	if err != nil {
		return nil, err
	}
	if o.Library == nil {
		o.Library = NewLibrary()
	}
	l := &loader{
		State: newState(o), Library: o.Library, types: map[string]*types.Package{"unsafe": types.Unsafe},
		hashed: make(map[string]bool), tested: make(map[string]bool), starts: make(map[string]bool), sources: make(map[string][]byte), closures: make(map[string]bool),
	}
	byPath := make(map[string]*listed)
	for _, p := range all {
		byPath[p.ImportPath] = p
		if p.ForTest != "" && p.path() == p.ForTest {
			l.tested[p.ForTest] = true
		}
	}
	for _, p := range all {
		if p.testMain() {
			l.binary(p, byPath)
		} else if p.ImportPath != "unsafe" {
			l.load(p)
		}
	}
	l.finish(o.Flags)
	return l.State, nil
}

// load checks the types of a package, and hashes its declarations if it is the user's.
func (l *loader) load(p *listed) {
	if p.main() {
		l.check(p)
		return
	}
	key := libraryKey{p.Dir, p.ImportPath, strings.Join(slices.Concat(p.GoFiles, p.CgoFiles), "/")} // tags choose files
	if known := l.Library.types[key]; known != nil && l.imports(p, known) {
		l.types[p.ImportPath] = known
	} else {
		l.check(p)
		l.Library.types[key] = l.types[p.ImportPath]
	}
	if !p.Standard {
		l.dependency(p)
	}
}

// imports reports whether the package would be checked with what the known one was checked with.
func (l *loader) imports(p *listed, known *types.Package) bool {
	return !slices.ContainsFunc(p.Imports, func(path string) bool {
		imported, err := importer{l, p}.Import(path)
		return path != "C" && (err != nil || !slices.Contains(known.Imports(), imported))
	})
}

// check checks the types of a package, and hashes its declarations unless they are hashed with tests.
func (l *loader) check(p *listed) {
	var files []*ast.File
	mode := parser.SkipObjectResolution
	if p.main() {
		mode |= parser.ParseComments
	}
	problem := ""
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		path := filepath.Join(p.Dir, name)
		src, err := os.ReadFile(path)
		if err == nil {
			var f *ast.File
			if f, err = parser.ParseFile(l.fset, path, src, mode); f != nil {
				files = append(files, f)
			}
		}
		if p.main() {
			l.sources[path] = src
		}
		if err != nil {
			problem = err.Error()
		}
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue), Selections: make(map[*ast.SelectorExpr]*types.Selection)}
	conf := types.Config{
		FakeImportC: true, IgnoreFuncBodies: !p.main(), Importer: importer{l, p},
		Error: func(err error) {
			if problem == "" {
				problem = err.Error()
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	if !p.main() {
		info = nil
	}
	l.types[p.ImportPath], _ = conf.Check(p.path(), l.fset, files, info)
	if !p.main() {
		return
	}
	if p.Error != nil {
		problem = p.Error.Err
	}
	// A package may be compiled several times: one counts, the one with its tests if there is one.
	if tested := p.ForTest == p.path(); !tested && l.tested[p.path()] || l.hashed[p.path()] {
		return
	}
	l.hashed[p.path()] = true
	u := &unit{loader: l, listed: p, info: info, pkg: l.types[p.ImportPath]}
	u.declare(files, problem)
}

// dependency notes of a package of others what isn't fixed by go.mod.
func (l *loader) dependency(p *listed) {
	l.starts[p.path()] = slices.ContainsFunc(p.Imports, func(path string) bool { return path == "os/exec" || path == "plugin" || l.starts[path] })
	if within(p.Dir, l.modcache) {
		return
	}
	h := newHash() // a vendor folder, or a replaced module
	for _, name := range slices.Concat(p.GoFiles, p.foreign(), p.EmbedFiles) {
		h.add(name, l.file(filepath.Join(p.Dir, name)))
	}
	l.declared(&decl{key: initOf(p.path()), own: h.sum()})
}

// binary notes which packages a test binary is made of.
func (l *loader) binary(p *listed, byPath map[string]*listed) {
	tested := strings.TrimSuffix(p.ImportPath, ".test")
	if q := byPath[tested]; q == nil || q.DepOnly || !q.main() {
		return
	}
	b := l.testsOf(tested)
	seen := map[string]bool{p.ImportPath: true}
	for queue := []*listed{p}; len(queue) > 0; queue = queue[1:] {
		for _, path := range queue[0].Imports {
			if q := byPath[path]; q != nil && !q.Standard && !seen[path] {
				seen[path] = true
				queue = append(queue, q)
				b.Links = append(b.Links, q.path())
			}
		}
	}
	b.Links = append(b.Links, tested+testsSuffix)
	slices.Sort(b.Links)
	b.Links = slices.Compact(b.Links)
}

// An importer finds what a package imports.
type importer struct {
	*loader
	of *listed
}

func (i importer) Import(path string) (*types.Package, error) {
	if to, ok := i.of.ImportMap[path]; ok {
		path = to
	}
	if p := i.types[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// within reports whether a path is in a folder.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return dir != "" && err == nil && filepath.IsLocal(rel)
}
