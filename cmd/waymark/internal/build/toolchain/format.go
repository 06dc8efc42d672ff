package toolchain

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/waymark-go/waymark"
)

// The hooks can't import package format, so they get what they share with it as files of their own,
// made from its source. A name begins with wm there: ChunkSize is wmChunkSize.

// formatSource returns the source of a file of package format.
func formatSource(name string) ([]byte, error) {
	return waymark.Source.ReadFile("internal/wire/format/" + name)
}

// constants returns a file of package pkg with the constants that files of package format declare.
func constants(pkg string, files ...string) ([]byte, error) {
	fset := token.NewFileSet()
	only := &ast.File{Name: ast.NewIdent("format")}
	var names []string
	for _, name := range files {
		src, err := formatSource(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok == token.IMPORT || gen.Tok == token.VAR {
				continue
			}
			only.Decls = append(only.Decls, gen)
			for _, spec := range gen.Specs {
				if s, ok := spec.(*ast.ValueSpec); ok {
					for _, id := range s.Names {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	conf := types.Config{Error: func(error) {}} // types of fields may be declared elsewhere
	checked, _ := conf.Check("format", fset, []*ast.File{only}, nil)
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Package %s, as waymark adds to it: constants of package format.\n\npackage %s\n\nconst (\n", pkg, pkg)
	for _, name := range names {
		c, ok := checked.Scope().Lookup(name).(*types.Const)
		if !ok || c.Val().ExactString() == "unknown" {
			return nil, fmt.Errorf("package format: constant %s has no value that is known", name)
		}
		fmt.Fprintf(&b, "%s = %s\n", hookName(name), c.Val().ExactString())
	}
	b.WriteString(")\n")
	return format.Source(b.Bytes())
}

// secret returns the file by which package runtime decides what looks like a secret, as the library
// and the command do.
func secret() ([]byte, error) {
	src, err := formatSource("secret.go")
	if err != nil {
		return nil, err
	}
	out := strings.Replace(string(src), "package format", "package runtime", 1)
	for _, name := range []string{"TypeLooksSecret", "TypePrefix", "LooksSecret", "beginsPart", "partMatches", "partsMatch", "foldsTo", "isUpper", "isLetter"} {
		out = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(out, hookName(name))
	}
	return []byte(out), nil
}

// hookName returns the name in the hooks of what package format calls name.
func hookName(name string) string { return "wm" + strings.ToUpper(name[:1]) + name[1:] }

// addShared adds the files that are made from package format's to the overlay of package pkg in
// dir.
func addShared(out map[string]File, dir, pkg string) error {
	add := func(name string, src []byte, err error) error {
		out[filepath.Join(dir, name)] = File{Content: src}
		return err
	}
	if pkg == "testing" {
		src, err := constants(pkg, "tests.go")
		return add("waymark_format.go", src, err)
	}
	src, err := constants(pkg, "arena.go", "types.go", "waits.go")
	if err := add("waymark_format.go", src, err); err != nil {
		return err
	}
	src, err = secret()
	if err := add("waymark_secret.go", src, err); err != nil {
		return err
	}
	return addConditions(out, dir)
}
