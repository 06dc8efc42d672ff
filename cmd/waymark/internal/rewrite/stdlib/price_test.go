package stdlib

import (
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A probe is a function that does nothing but call one of the standard library's. What the
// compiler says it costs is the price of that call.
type probe struct {
	callee string // as types.Func.FullName writes it
	source string // from the parameters on
	nodes  int    // what the probe costs without the callee
}

// A prober writes probes.
type prober struct {
	imports map[string]bool
	probes  []probe
	done    map[string]bool
}

func (p *prober) pkg(pkg *types.Package) {
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		switch obj := scope.Lookup(name).(type) {
		case *types.Func:
			if obj.Exported() {
				p.function(obj)
			}
		case *types.TypeName:
			if named, ok := obj.Type().(*types.Named); ok && obj.Exported() && !obj.IsAlias() && !types.IsInterface(named) {
				p.methods(named, nil)
			}
		case *types.Var: // its type may have no name for users, as that of binary.BigEndian
			if named, ok := obj.Type().(*types.Named); ok && obj.Exported() && !named.Obj().Exported() && !types.IsInterface(named) {
				p.methods(named, obj)
			}
		}
	}
}

func (p *prober) qualifier(pkg *types.Package) string {
	p.imports[pkg.Path()] = true
	return alias(pkg.Path())
}

func (p *prober) function(f *types.Func) {
	sig := f.Signature()
	inst := ""
	nodes := 2
	if params := sig.TypeParams(); params != nil {
		args := arguments(params)
		t, err := types.Instantiate(nil, sig, args, true)
		if err != nil {
			return
		}
		var list []string
		for _, a := range args {
			list = append(list, types.TypeString(a, p.qualifier))
		}
		nodes += 2 // the dictionary
		sig, inst = t.(*types.Signature), "["+strings.Join(list, ", ")+"]"
	}
	p.add(f, nil, sig, p.qualifier(f.Pkg())+"."+f.Name()+inst, nodes)
}

// arguments finds types that satisfy the constraints of params.
func arguments(params *types.TypeParamList) []types.Type {
	integer := types.Typ[types.Int]
	var args []types.Type
	for tp := range params.TypeParams() {
		arg := types.Type(integer)
		if iface, ok := tp.Constraint().Underlying().(*types.Interface); ok && iface.NumEmbeddeds() == 1 {
			if union, ok := iface.EmbeddedType(0).(*types.Union); ok && union.Len() == 1 {
				switch union.Term(0).Type().Underlying().(type) {
				case *types.Slice:
					arg = types.NewSlice(integer)
				case *types.Map:
					arg = types.NewMap(integer, integer)
				}
			}
		}
		args = append(args, arg)
	}
	return args
}

// methods probes the methods of a type, on a parameter or on a variable of the library's.
func (p *prober) methods(named *types.Named, on *types.Var) {
	var recv types.Type = named
	if params := named.TypeParams(); params != nil {
		args := arguments(params)
		t, err := types.Instantiate(nil, named, args, true)
		if err != nil {
			return
		}
		recv = t
	}
	for sel := range types.NewMethodSet(types.NewPointer(recv)).Methods() {
		f := sel.Obj().(*types.Func)
		if !f.Exported() || types.IsInterface(f.Signature().Recv().Type()) {
			continue
		}
		through := len(sel.Index()) - 1
		owner := f.Origin().Signature().Recv().Type()
		if ptr, ok := owner.(*types.Pointer); ok {
			owner = ptr.Elem()
		}
		if through > 0 && (owner.(*types.Named).Obj().Exported() || f.Pkg() != named.Obj().Pkg()) {
			continue
		}
		if on != nil {
			if _, pointer := f.Signature().Recv().Type().(*types.Pointer); !pointer && through == 0 {
				p.add(f, nil, f.Signature(), p.qualifier(f.Pkg())+"."+on.Name()+"."+f.Name(), 2)
			}
			continue
		}
		from := types.Type(types.NewPointer(recv))
		nodes := 2 + 2*through
		if named.TypeParams() != nil {
			nodes += 2 // the dictionary
		}
		_, pointer := f.Signature().Recv().Type().(*types.Pointer)
		if through == 0 && !pointer {
			from = recv
		}
		p.add(f.Origin(), from, f.Signature(), "r."+f.Name(), nodes)
	}
}

// add adds the probe of a call, if its parameters can be written.
func (p *prober) add(f *types.Func, recv types.Type, sig *types.Signature, call string, nodes int) {
	if p.done[f.FullName()] {
		return
	}
	var params, args []string
	if recv != nil {
		if hidden(recv) {
			return
		}
		params = append(params, "r "+types.TypeString(recv, p.qualifier))
	}
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if hidden(t) {
			return
		}
		name := "a" + strconv.Itoa(i)
		params = append(params, name+" "+types.TypeString(t, p.qualifier))
		if sig.Variadic() && i == sig.Params().Len()-1 {
			name += "..."
		}
		args = append(args, name)
		nodes++
	}
	p.done[f.FullName()] = true
	p.probes = append(p.probes, probe{f.FullName(), fmt.Sprintf("(%s) { %s(%s) }", strings.Join(params, ", "), call, strings.Join(args, ", ")), nodes})
}

// hidden reports whether a type can't be written outside its package.
func hidden(t types.Type) bool {
	text := types.TypeString(t, nil)
	for _, m := range regexp.MustCompile(`[\w./]+\.(\w+)`).FindAllStringSubmatch(text, -1) {
		if m[1][0] < 'A' || m[1][0] > 'Z' || strings.Contains(m[0], "internal/") {
			return true
		}
	}
	return false
}

var probeRemark = regexp.MustCompile(`: (?:can inline|cannot inline) probe(\d+)(?: with cost (\d+)|: function too complex: cost (\d+))`)

// probePrices asks the compiler of the go command for the prices of calls.
func probePrices(t *testing.T, pkgs []*types.Package, env ...string) map[string]int {
	t.Helper()
	p := &prober{imports: make(map[string]bool), done: make(map[string]bool)}
	for _, pkg := range pkgs {
		p.pkg(pkg)
	}
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("package probes\n")
	for path := range p.imports {
		fmt.Fprintf(&b, "import %s %q\n", alias(path), path)
	}
	for i, pr := range p.probes {
		fmt.Fprintf(&b, "func probe%d%s\n", i, pr.source)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module probes\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "probes.go"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-gcflags=-m=2")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%.3000s", err, out)
	}
	found := make(map[string]int)
	for _, m := range probeRemark.FindAllStringSubmatch(string(out), -1) {
		i, _ := strconv.Atoi(m[1])
		cost, _ := strconv.Atoi(m[2] + m[3])
		found[p.probes[i].callee] = cost - p.probes[i].nodes
	}
	t.Logf("%d probes, %d prices", len(p.probes), len(found))
	return found
}
