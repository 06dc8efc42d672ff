package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A mutation replaces a part of a file.
type mutation struct {
	kind, file string
	at, end    int
	text       string
}

func (m mutation) String() string {
	return fmt.Sprintf("%s: %s:#%d: %.60q", m.kind, m.file, m.at, m.text)
}

// plant writes the file with the mutation, and returns what undoes it.
func (m mutation) plant(t *testing.T) (undo func()) {
	t.Helper()
	old, err := os.ReadFile(m.file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		if err := os.WriteFile(m.file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(slices.Concat(old[:m.at], []byte(m.text), old[m.end:]))
	return func() { write(old) }
}

// operators are replaced by others that compile where they do.
var operators = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.LAND: "||", token.LOR: "&&", token.SUB: "*",
}

// mutations returns what can be planted in a module, and so many of each kind: bodies, constants, first
// values, types, sets of methods, testdata and the given embedded files.
func mutations(t *testing.T, dir string, embedded []string, most int) (list []mutation) {
	p := planter{byKind: make(map[string][]mutation)}
	for _, path := range embedded {
		p.data("embed", path)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular() || slices.Contains(embedded, path):
		case isTestdata.MatchString(filepath.ToSlash(path)):
			p.data("testdata", path)
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			p.source(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(*affectedSeed, 1))
	for _, kind := range slices.Sorted(maps.Keys(p.byKind)) {
		all := p.byKind[kind]
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		list = append(list, all[:min(len(all), most)]...)
	}
	return list
}

var isTestdata = regexp.MustCompile(`/(testdata|_test)/`)

// A planter lists mutations of files.
type planter struct {
	byKind map[string][]mutation
	path   string
	src    []byte
	set    *token.FileSet
}

// replace lists the replacement of a part of the file; end may be where it begins.
func (p *planter) replace(kind string, at, end token.Pos, text string) {
	p.byKind[kind] = append(p.byKind[kind], mutation{kind, p.path, p.offset(at), p.offset(end), text})
}

func (p *planter) offset(at token.Pos) int { return p.set.Position(at).Offset }

func (p *planter) data(kind, path string) {
	p.byKind[kind] = append(p.byKind[kind], mutation{kind, path, 0, 0, "planted\n"})
}

func (p *planter) source(path string) {
	p.path, p.set = path, token.NewFileSet()
	var err error
	if p.src, err = os.ReadFile(path); err != nil {
		return
	}
	f, err := parser.ParseFile(p.set, path, p.src, 0)
	if err != nil {
		return
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				p.body(d)
				p.expressions("body", d)
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			p.expressions(d.Tok.String(), d)
			for _, spec := range d.Specs {
				if typ, ok := spec.(*ast.TypeSpec); ok {
					p.methods(f, typ)
				}
			}
		}
	}
}

// body has a function panic, and return nothing but zeros.
func (p *planter) body(fn *ast.FuncDecl) {
	at := fn.Body.Lbrace + 1
	p.replace("panic", at, at, " if true { panic(\"planted\") };")
	var zeros []string
	if fn.Type.Results != nil {
		for _, field := range fn.Type.Results.List {
			zero := "*new(" + string(p.src[p.offset(field.Type.Pos()):p.offset(field.Type.End())]) + ")"
			zeros = append(zeros, slices.Repeat([]string{zero}, max(1, len(field.Names)))...)
		}
	}
	p.replace("return", at, at, " if true { return "+strings.Join(zeros, ", ")+" };")
}

// methods gives a type methods that packages such as fmt call, of its own and by embedding.
func (p *planter) methods(f *ast.File, typ *ast.TypeSpec) {
	if s, ok := typ.Type.(*ast.StructType); ok {
		p.replace("embedding", s.Fields.Closing, s.Fields.Closing, "\nerror\n")
	}
	if _, isInterface := typ.Type.(*ast.InterfaceType); typ.TypeParams != nil || typ.Assign.IsValid() || isInterface {
		return
	}
	for _, method := range []string{"String() string { return \"planted\" }", "Error() string { return \"planted\" }", "MarshalText() ([]byte, error) { return []byte(\"planted\"), nil }"} {
		p.replace("method", f.FileEnd, f.FileEnd, "\nfunc ("+typ.Name.Name+") "+method+"\n")
	}
}

// expressions changes operators and values.
func (p *planter) expressions(kind string, decl ast.Decl) {
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if text := operators[n.Op]; text != "" {
				p.replace(kind, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), text)
			}
		case *ast.BasicLit:
			switch n.Kind {
			case token.INT:
				p.replace(kind, n.End(), n.End(), "+1")
			case token.STRING:
				if text, err := strconv.Unquote(n.Value); err == nil {
					p.replace(kind, n.Pos(), n.End(), strconv.Quote(text+"q"))
				}
			}
		}
		return true
	})
}

// All kinds of mutations are found, and what is planted is what is meant.
func TestMutations(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":         "package a\nimport \"fmt\"\nconst c = 1\nvar v = \"v\"\ntype T struct{ a [2]int }\nfunc f() (a, b int, err error) { fmt.Print(); return 1 < 2, 3, nil }\n",
		"a_test.go":    "package a\nconst d = 1\n",
		"testdata/x":   "x\n",
		"testdata/y":   "y\n",
		"_test/x":      "x\n",
		".git/x.go":    "package x\nconst d = 1\n",
		"README.md":    "a\n",
		"wrong/bad.go": "package (",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	kinds := make(map[string]int)
	for _, m := range mutations(t, dir, []string{filepath.Join(dir, "testdata", "y")}, 100) {
		kinds[m.kind]++
		undo := m.plant(t)
		got, err := os.ReadFile(m.file)
		if err != nil {
			t.Fatal(err)
		}
		if want := "{ if true { return *new(int), *new(int), *new(error) }; fmt"; m.kind == "return" && !strings.Contains(string(got), want) {
			t.Errorf("%s: %s\nwant %s", m, got, want)
		}
		if want := "{ a [2]int \nerror\n}"; m.kind == "embedding" && !strings.Contains(string(got), want) {
			t.Errorf("%s: %s\nwant %s", m, got, want)
		}
		undo()
	}
	want := map[string]int{"body": 4, "const": 1, "embed": 1, "embedding": 1, "method": 3, "panic": 1, "return": 1, "testdata": 2, "type": 1, "var": 1}
	if !maps.Equal(kinds, want) {
		t.Errorf("there are %v, want %v", kinds, want)
	}
}
