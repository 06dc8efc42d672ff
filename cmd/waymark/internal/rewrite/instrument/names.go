package instrument

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// A unique holds what the inserted code calls its own. All identifiers begin
// with prefix, and no identifier of the folder does.
type unique struct {
	prefix string
	file   string // base name of the generated file
}

func (n *unique) runtime() string         { return n.prefix + "rt" }
func (n *unique) hook(name string) string { return n.runtime() + "." + name }
func (n *unique) sites() string           { return n.prefix + "sites" }
func (n *unique) pkg() string             { return n.prefix + "pkg" }
func (n *unique) probes() string          { return n.prefix + "probes" }
func (n *unique) reg() string             { return n.prefix + "reg" }
func (n *unique) frame() string           { return n.prefix + "f" }
func (n *unique) site() string            { return n.prefix + "s" }

func (n *unique) library() string { return n.prefix + "lib" }
func (n *unique) bound() string   { return n.prefix + "bound" }
func (n *unique) group() string   { return n.prefix + "group" }

func (n *unique) groups(i int) string { return fmt.Sprintf("%sg%d", n.prefix, i) }
func (n *unique) arg(i int) string    { return fmt.Sprintf("%sa%d", n.prefix, i) }
func (n *unique) result(i int) string { return fmt.Sprintf("%sr%d", n.prefix, i) }

// invoke is a call of the hook, or a conversion to its type.
func (n *unique) invoke(hook, args string) string { return n.hook(hook) + "(" + args + ")" }

func newNames(u *syntax.Unit) (*unique, error) {
	folder := slices.Concat(u.Files, u.With, u.Others)
	file, err := generatedName(u.Kind, folder)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", u.ImportPath, err)
	}
	return &unique{prefix: uniquePrefix(u.Kind, folder), file: file}, nil
}

// uniquePrefix returns the first of wm_, wm1_, wm2_, ... that begins no
// word in any of the files. A Test unit's is wmt_, because its files are
// compiled together with those of the Package unit.
func uniquePrefix(kind syntax.Kind, folder []syntax.File) string {
	base := "wm"
	if kind == syntax.Test {
		base = "wmt"
	}
	for i := 0; ; i++ {
		prefix := base + "_"
		if i > 0 {
			prefix = fmt.Sprintf("%s%d_", base, i)
		}
		used := slices.ContainsFunc(folder, func(f syntax.File) bool {
			return beginsWord(f.Source, prefix)
		})
		if !used {
			return prefix
		}
	}
}

// beginsWord reports whether a word of src begins with prefix. It also looks
// in comments and strings: to be wrong there costs nothing.
func beginsWord(src []byte, prefix string) bool {
	for rest := src; ; {
		i := bytes.Index(rest, []byte(prefix))
		if i < 0 {
			return false
		}
		if i == 0 || !inWord(rest[i-1]) {
			return true
		}
		rest = rest[i+len(prefix):]
	}
}

func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}

// generatedName returns a name for the generated file that sorts before the
// other files that the compiler gets with it. These are the folder's test files
// for a test unit, its other Go files for the package. A file may not begin
// with a character that sorts before 0, or the go command refuses or ignores
// it; after that, ! is the lowest that people might use.
func generatedName(kind syntax.Kind, folder []syntax.File) (string, error) {
	base := map[syntax.Kind]string{syntax.Package: "-waymark.go", syntax.Test: "-waymark_test.go", syntax.XTest: "-waymark_x_test.go"}[kind]
	for n := range 8 {
		name := "0" + strings.Repeat("!", n) + base
		first := !slices.ContainsFunc(folder, func(f syntax.File) bool {
			other := filepath.Base(f.Path)
			sameUnit := filepath.Ext(other) == ".go" && strings.HasSuffix(other, "_test.go") == (kind != syntax.Package)
			return sameUnit && other <= name
		})
		if first {
			return name, nil
		}
	}
	return "", fmt.Errorf("no name for a generated file sorts before those of the folder")
}
