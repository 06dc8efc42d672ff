package funcname

import (
	"debug/elf"
	"debug/gosym"
	"flag"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax/syntaxtest"
)

// literalName matches the names of function literals, but not of wrappers and
// loops' bodies in them.
var literalName = regexp.MustCompile(`(\.func|-range\d+\.)\d+(\.\d+|-range\d+\.\d+)*$`)

var long = flag.Bool("long", false, "build a large program, which takes a minute")

// TestNames compares the names and lines of the function literals in all
// packages that a large program is linked from with the program's own table.
func TestNames(t *testing.T) {
	if !*long || runtime.GOOS != "linux" {
		t.Skip("-long is not given, or there is no ELF")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "program")
	const program = "cmd/go"
	// Without inlining, because that renames literals.
	syntaxtest.Go(t, dir, "build", "-gcflags=all=-l", "-o", binary, program)

	bodies := make(map[string][]span)
	rewritten := make(map[string]bool)
	for _, p := range syntaxtest.List(t, dir, strings.Fields(string(syntaxtest.Go(t, dir, "list", "-deps", program)))...) {
		u := p.Unit(t)
		// Of cgo files, the program has the lines of what cgo made of them.
		// Package runtime is never rewritten.
		if len(u.Files) == 0 || len(p.CgoFiles) > 0 || p.ImportPath == "runtime" {
			continue
		}
		tree := syntax.Parse(u, &syntax.Config{Toolchain: syntaxtest.Toolchain(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH})
		names := Of(tree, flow.Of(tree))
		for lit, name := range names.Literals {
			name = names.Prefix + name
			bodies[name] = append(bodies[name], span{tree.Fset.Position(lit.Pos()).Line, tree.Fset.Position(lit.Body.Rbrace).Line})
		}
		rewritten[names.Prefix] = true
	}

	checked, wrong := 0, 0
	table := symbolTable(t, binary)
	for _, fn := range table.Funcs {
		name := typeArguments(fn.Name)
		slash := strings.LastIndexByte(name, '/')
		dot := strings.IndexByte(name[slash+1:], '.')
		if dot < 0 || !rewritten[name[:slash+1+dot+1]] || !literalName.MatchString(name) {
			continue
		}
		checked++
		// A function without a check of its stack starts with a line of its body.
		_, line, _ := table.PCToLine(fn.Entry)
		found := slices.ContainsFunc(bodies[name], func(s span) bool { return s.first <= line && line <= s.last })
		if !found {
			t.Logf("%s is at line %d, not %v", name, line, bodies[name])
			wrong++
		}
	}
	t.Logf("%s: of %d literals, %d are wrong", syntaxtest.Toolchain(), checked, wrong)
	// See the limits in the package comment.
	if checked < 1000 || wrong > checked/200 {
		t.Errorf("of %d literals, %d have other names in the program", checked, wrong)
	}
}

type span struct{ first, last int }

func symbolTable(t *testing.T, binary string) *gosym.Table {
	t.Helper()
	file, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	section := file.Section(".gopclntab")
	if section == nil {
		t.Fatal("no .gopclntab")
	}
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, file.Section(".text").Addr))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// typeArguments replaces type arguments in a symbol's name by dots, as
// runtime.FuncForPC does.
func typeArguments(name string) string {
	open := strings.IndexByte(name, '[')
	end := strings.LastIndexByte(name, ']')
	if open < 0 || end < open {
		return name
	}
	return name[:open] + "[...]" + name[end+1:]
}
