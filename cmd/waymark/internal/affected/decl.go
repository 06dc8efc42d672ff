package affected

import (
	"go/ast"
	"go/doc"
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A decl is a declaration of a package: a function, a constant, a variable or a type.
type decl struct {
	key       string
	file      string
	line, end int
	fn        bool
	method    string // its name, if it is a method
	typ       string // key of a method's type

	own    string   // hash of the declaration itself
	refs   []string // keys of what it refers to
	calls  []string // names of methods that it calls by interfaces
	reads  []string // variables of packages that it uses
	writes []string // variables of packages that it may change, or what they point to
	lines  bool     // it can look at lines of the source
	starts bool     // it can start programs
}

// A unit is a package whose declarations are hashed.
type unit struct {
	*loader
	*listed
	info *types.Info
	pkg  *types.Package
}

// declare hashes the declarations of the unit's files.
func (u *unit) declare(files []*ast.File, problem string) {
	path := u.path()
	init := &part{unit: u, decl: &decl{key: initOf(path)}, hash: newHash()}
	tests := &part{unit: u, decl: &decl{key: u.ForTest + testsSuffix}, hash: newHash()}
	init.hash.add(u.Name)
	if u.Module != nil {
		dir := filepath.Dir(u.Module.GoMod)
		init.hash.add(u.Module.GoVersion, u.file(u.Module.GoMod), u.file(filepath.Join(dir, "go.sum")))
	}
	for _, name := range u.foreign() {
		init.hash.add(name, u.file(filepath.Join(u.Dir, name)))
	}
	if problem != "" { // nobody knows what it is when it compiles
		init.hash.add("problem", problem)
	}
	var examples []*ast.File
	for _, f := range files {
		u.findClosures(f)
	}
	for _, f := range files {
		whole := init
		if strings.HasSuffix(u.fset.File(f.FileStart).Name(), "_test.go") {
			whole = tests
			examples = append(examples, f)
		}
		u.declareFile(f, whole)
	}
	if path != u.ForTest+"_test" {
		init.done()
	}
	all := newHash()
	for _, name := range slices.Concat(u.GoFiles, u.foreign()) {
		all.add(name, u.file(filepath.Join(u.Dir, name)))
	}
	u.declared(&decl{key: path + filesSuffix, own: all.sum()})
	if u.ForTest != "" {
		tests.done()
		t := u.testsOf(u.ForTest)
		t.Dir = u.Dir
		for _, name := range testNames(examples) {
			if !slices.Contains(t.Names, name) {
				t.Names = append(t.Names, name)
			}
		}
	}
}

// findClosures finds variables that begin with the result of a call.
func (u *unit) findClosures(f *ast.File) {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, s := range d.Specs {
				s := s.(*ast.ValueSpec)
				for _, v := range s.Values {
					if _, ok := ast.Unparen(v).(*ast.CallExpr); ok {
						for _, name := range s.Names {
							u.closures[u.path()+"."+name.Name] = true
						}
					}
				}
			}
		}
	}
}

// declareFile hashes a file's declarations. What counts for the whole program is added to whole.
func (u *unit) declareFile(f *ast.File, whole *part) {
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		if i.Name != nil && i.Name.Name == "_" || effects[path] {
			whole.hash.add("import", path)
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			for _, directive := range []string{"//go:linkname", "//go:cgo_", "//go:debug", "//go:wasm"} {
				if strings.HasPrefix(c.Text, directive) {
					whole.hash.add(c.Text)
				}
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			u.function(d, f, whole)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					u.typeSpec(s, d, f)
				case *ast.ValueSpec:
					u.values(s, d, f, whole)
				}
			}
		}
	}
}

// effects are packages of the standard library that do something when they are imported.
var effects = map[string]bool{"expvar": true, "net/http/pprof": true, "time/tzdata": true}

// begin begins the part of a package-level declaration.
func (u *unit) begin(key string, node ast.Node) *part {
	from, to := u.fset.PositionFor(node.Pos(), false), u.fset.PositionFor(node.End(), false)
	return &part{unit: u, hash: newHash(), decl: &decl{key: key, file: from.Filename, line: from.Line, end: to.Line}}
}

func (u *unit) function(d *ast.FuncDecl, f *ast.File, whole *part) {
	if d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "_") {
		whole.text(d, f)
		whole.use(d)
		return
	}
	key := u.path() + "." + d.Name.Name
	p := u.begin(key, d)
	if fn, ok := u.info.Defs[d.Name].(*types.Func); ok && d.Recv != nil {
		p.key = keyOf(fn)
		p.method, p.typ = d.Name.Name, strings.TrimSuffix(p.key, "."+d.Name.Name)
		if whole.key != initOf(u.path()) { // the method is there for the tests of the package only
			whole.hash.add(p.key, types.TypeString(fn.Type(), nil))
		}
	}
	p.fn = true
	p.directives(d.Doc)
	if d.Recv == nil && strings.HasPrefix(d.Name.Name, "Example") {
		for _, group := range f.Comments { // the wanted output
			if group.Pos() > d.Pos() && group.End() < d.End() {
				p.hash.add(group.Text())
			}
		}
	}
	p.text(d, f)
	p.use(d)
	p.done()
}

func (u *unit) typeSpec(s *ast.TypeSpec, d *ast.GenDecl, f *ast.File) {
	if s.Name.Name == "_" {
		return
	}
	p := u.begin(u.path()+"."+s.Name.Name, s)
	p.directives(d.Doc, s.Doc)
	p.text(s, f)
	p.use(s)
	if named, ok := types.Unalias(u.typeOf(s.Name)).(*types.Named); ok && u.info.Defs[s.Name] == named.Obj() {
		var methods []string
		for m := range named.Methods() {
			if strings.HasSuffix(u.fset.File(m.Pos()).Name(), "_test.go") == strings.HasSuffix(p.file, "_test.go") {
				methods = append(methods, m.Name()+types.TypeString(m.Type(), nil))
				p.mention(m.Type())
			}
		}
		slices.Sort(methods)
		p.hash.add(methods...)
	}
	p.done()
}

func (u *unit) typeOf(name *ast.Ident) types.Type {
	if obj := u.info.Defs[name]; obj != nil && obj.Type() != nil {
		return obj.Type()
	}
	return types.Typ[types.Invalid]
}

func (u *unit) values(s *ast.ValueSpec, d *ast.GenDecl, f *ast.File, whole *part) {
	if d.Tok == token.VAR && !slices.ContainsFunc(s.Values, func(e ast.Expr) bool { return u.acts(e) }) {
		whole = nil
	}
	for _, name := range s.Names {
		if name.Name == "_" && (whole == nil || d.Tok == token.CONST) {
			continue
		}
		p := u.begin(u.path()+"."+name.Name, s)
		p.mention(u.typeOf(name))
		if c, ok := u.info.Defs[name].(*types.Const); ok {
			p.hash.add("const", types.TypeString(c.Type(), nil), c.Val().ExactString())
			p.done()
			continue
		}
		embeds := p.directives(d.Doc, s.Doc)
		if embeds {
			for _, name := range u.EmbedFiles {
				p.hash.add(name, u.file(filepath.Join(u.Dir, name)))
			}
		}
		p.hash.add(types.TypeString(u.typeOf(name), nil))
		p.text(s, f)
		p.use(s)
		if whole != nil && d.Tok == token.VAR {
			whole.text(s, f)
			whole.use(s)
		}
		if name.Name != "_" {
			p.done()
		}
	}
}

// acts reports whether a value may have effects when it is computed, besides its result: it calls what
// is not known to have none.
func (u *unit) acts(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // where it is called counts
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			if tv := u.info.Types[n.Fun]; tv.IsType() || tv.IsBuiltin() {
				return true
			}
			var obj types.Object
			switch fun := ast.Unparen(n.Fun).(type) {
			case *ast.SelectorExpr:
				obj = u.info.Uses[fun.Sel]
			case *ast.IndexExpr:
				if sel, ok := fun.X.(*ast.SelectorExpr); ok {
					obj = u.info.Uses[sel.Sel]
				}
			}
			found = found || obj == nil || obj.Pkg() == nil || !pure[obj.Pkg().Path()]
		}
		return !found
	})
	return found
}

// pure are packages whose functions have no effects but by their results and what they are given.
var pure = map[string]bool{
	"bytes": true, "errors": true, "fmt": true, "html/template": true, "maps": true, "math": true, "math/big": true, "path": true, "path/filepath": true,
	"reflect": true, "regexp": true, "slices": true, "sort": true, "strconv": true, "strings": true, "sync": true, "text/template": true, "time": true,
	"unicode": true, "unicode/utf8": true, "encoding/base64": true, "encoding/binary": true, "encoding/hex": true, "net/url": true,
}

// A part is a declaration that is being hashed.
type part struct {
	*unit
	*decl
	hash digest
	seen map[string]bool // refs
	met  map[types.Type]bool
}

func (p *part) done() {
	p.own = p.hash.sum()
	slices.Sort(p.refs)
	p.declared(p.decl)
}

// directives hashes those of the compiler, and reports whether files are embedded.
func (p *part) directives(groups ...*ast.CommentGroup) (embeds bool) {
	for _, g := range groups {
		if g == nil {
			continue
		}
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:") {
				p.hash.add(c.Text)
				embeds = embeds || strings.HasPrefix(c.Text, "//go:embed")
			}
		}
	}
	return embeds
}

// text hashes the tokens of a node: all but comments and layout.
func (p *part) text(n ast.Node, f *ast.File) {
	file := p.fset.File(f.FileStart)
	src := p.sources[file.Name()]
	from, to := file.Offset(n.Pos()), file.Offset(n.End())
	if d, ok := n.(*ast.FuncDecl); ok {
		from = file.Offset(d.Type.Func)
	}
	if from > to || to > len(src) {
		p.hash.add("damaged")
		return
	}
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", -1, to-from), src[from:to], func(token.Position, string) {}, 0)
	semicolon := false
	for {
		_, tok, text := s.Scan()
		if semicolon && tok != token.RBRACE && tok != token.RPAREN && tok != token.EOF {
			p.hash.add(";")
		}
		if tok == token.EOF {
			return
		}
		if semicolon = tok == token.SEMICOLON; !semicolon {
			p.hash.add(tok.String(), text)
		}
	}
}

// ref notes what a declaration refers to.
func (p *part) ref(key string) {
	if p.seen == nil {
		p.seen = make(map[string]bool)
	}
	if key != p.key && !p.seen[key] {
		p.seen[key] = true
		p.refs = append(p.refs, key)
	}
}

// mention refers to all types of the user's modules that a type is made of.
func (p *part) mention(t types.Type) {
	if t == nil || p.met[t] {
		return
	}
	if p.met == nil {
		p.met = make(map[types.Type]bool)
	}
	p.met[t] = true
	args := func(list *types.TypeList) {
		for a := range list.Types() {
			p.mention(a)
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		p.object(t.Obj())
		args(t.TypeArgs())
		p.mention(t.Rhs())
	case *types.Named:
		p.object(t.Obj())
		args(t.TypeArgs())
	case *types.Pointer:
		p.mention(t.Elem())
	case *types.Slice:
		p.mention(t.Elem())
	case *types.Array:
		p.mention(t.Elem())
	case *types.Chan:
		p.mention(t.Elem())
	case *types.Map:
		p.mention(t.Key())
		p.mention(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			p.mention(v.Type())
		}
	case *types.Signature:
		p.mention(t.Params())
		p.mention(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			p.mention(f.Type())
		}
	}
}

// object hashes which object is meant, and refers to it.
func (p *part) object(obj types.Object) {
	key := keyOf(obj)
	if key == "" {
		return
	}
	p.hash.add(key)
	p.ref(key)
}

// keyOf returns the key of a package-level object or a method, "" for others.
func keyOf(obj types.Object) string {
	if obj == nil || obj.Pkg() == nil {
		return ""
	}
	if fn, ok := obj.(*types.Func); ok {
		fn = fn.Origin()
		if recv := fn.Signature().Recv(); recv != nil {
			t := types.Unalias(recv.Type())
			if ptr, ok := t.(*types.Pointer); ok {
				t = types.Unalias(ptr.Elem())
			}
			named, ok := t.(*types.Named)
			if !ok {
				return ""
			}
			return keyOf(named.Obj()) + "." + fn.Name()
		}
	}
	if obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

// use notes what a declaration uses.
func (p *part) use(n ast.Node) {
	var stack []ast.Node
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if e, ok := n.(ast.Expr); ok {
			p.mention(p.info.Types[e].Type)
		}
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch obj := p.info.Uses[id].(type) {
		case nil:
			if def := p.info.Defs[id]; def != nil {
				p.mention(def.Type())
			}
		case *types.PkgName:
			p.hash.add(obj.Imported().Path())
		case *types.Func:
			p.object(obj)
			p.hash.add(types.TypeString(obj.Type(), nil))
			if recv := obj.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				p.calls = append(p.calls, obj.Name())
			}
			p.outside(obj)
		case *types.Var:
			p.object(obj)
			if key := keyOf(obj); key != "" && !obj.IsField() {
				p.variable(key, stack)
			}
			p.outside(obj)
		default:
			if obj.Parent() == types.Universe {
				p.hash.add("universe")
			}
			p.object(obj)
			p.outside(obj)
		}
		return true
	})
}

// outside notes what an object of another module can do that its calls don't show.
func (p *part) outside(obj types.Object) {
	if obj.Pkg() == nil {
		return
	}
	name := obj.Pkg().Path() + "." + obj.Name()
	switch name {
	case "runtime.Caller", "runtime.Callers", "runtime.CallersFrames", "runtime.FuncForPC", "runtime.Stack", "runtime/debug.Stack",
		"runtime/debug.PrintStack", "log.Lshortfile", "log.Llongfile":
		p.lines = true
	case "os.StartProcess", "syscall.StartProcess", "syscall.ForkExec", "syscall.Exec":
		p.decl.starts = true
	}
	switch path := obj.Pkg().Path(); {
	case path == "os/exec" || path == "plugin" || path == "go/build" || p.loader.starts[path]:
		p.decl.starts = true
	}
}

// testNames returns the names of tests, fuzz targets and examples that go test runs.
func testNames(files []*ast.File) (names []string) {
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && (isTest(d, "Test", "T") && d.Name.Name != "TestMain" || isTest(d, "Fuzz", "F")) {
				names = append(names, d.Name.Name)
			}
		}
	}
	for _, e := range doc.Examples(files...) {
		if e.Output != "" || e.EmptyOutput {
			names = append(names, "Example"+e.Name)
		}
	}
	return names
}

// isTest reports whether a function is one of go test's: its name goes on with no lower case, and it has
// a parameter such as *testing.T.
func isTest(d *ast.FuncDecl, prefix, param string) bool {
	rest, ok := strings.CutPrefix(d.Name.Name, prefix)
	if r, _ := utf8.DecodeRuneInString(rest); !ok || rest != "" && unicode.IsLower(r) {
		return false
	}
	params := d.Type.Params.List
	if d.Type.Results.NumFields() > 0 || d.Type.TypeParams.NumFields() > 0 || d.Type.Params.NumFields() != 1 {
		return false
	}
	ptr, ok := params[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch t := ptr.X.(type) {
	case *ast.Ident:
		return t.Name == param
	case *ast.SelectorExpr:
		return t.Sel.Name == param
	}
	return false
}
