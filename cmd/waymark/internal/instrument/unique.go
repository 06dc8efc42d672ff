package instrument

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// names holds what the inserted code calls its own. All identifiers begin
// with prefix, and no identifier of the folder does.
type names struct {
	prefix string
	file   string // base name of the generated file
}

func (n *names) runtime() string { return n.prefix + "rt" }
func (n *names) sites() string   { return n.prefix + "sites" }
func (n *names) pkg() string     { return n.prefix + "pkg" }
func (n *names) reg() string     { return n.prefix + "reg" }
func (n *names) frame() string   { return n.prefix + "f" }
func (n *names) site() string    { return n.prefix + "s" }

func (n *names) library() string { return n.prefix + "lib" }
func (n *names) bound() string   { return n.prefix + "bound" }
func (n *names) group() string   { return n.prefix + "group" }

func (n *names) groups(i int) string { return fmt.Sprintf("%sg%d", n.prefix, i) }
func (n *names) arg(i int) string    { return fmt.Sprintf("%sa%d", n.prefix, i) }
func (n *names) result(i int) string { return fmt.Sprintf("%sr%d", n.prefix, i) }

func newNames(g *Group) (*names, error) {
	folder := slices.Concat(g.Files, g.With, g.Others)
	file, err := generatedName(g.Kind, folder)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", g.ImportPath, err)
	}
	return &names{prefix: uniquePrefix(g.Kind, folder), file: file}, nil
}

// uniquePrefix returns the first of wm_, wm1_, wm2_, ... that begins no
// word in any of the files. A Test group's is wmt_, because its files are
// compiled together with those of the Package group.
func uniquePrefix(kind Kind, folder []File) string {
	base := "wm"
	if kind == Test {
		base = "wmt"
	}
	for i := 0; ; i++ {
		prefix := base + "_"
		if i > 0 {
			prefix = fmt.Sprintf("%s%d_", base, i)
		}
		used := slices.ContainsFunc(folder, func(f File) bool {
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
// other files that the compiler gets with it: the folder's test files for a
// test group, its other Go files for the package. A file may not begin with a
// character that sorts before 0, or the go command refuses or ignores it;
// after that, ! is the lowest that people might use.
func generatedName(kind Kind, folder []File) (string, error) {
	base := map[Kind]string{Package: "-waymark.go", Test: "-waymark_test.go", XTest: "-waymark_x_test.go"}[kind]
	for n := range 8 {
		name := "0" + strings.Repeat("!", n) + base
		first := !slices.ContainsFunc(folder, func(f File) bool {
			other := filepath.Base(f.Path)
			sameGroup := filepath.Ext(other) == ".go" && strings.HasSuffix(other, "_test.go") == (kind != Package)
			return sameGroup && other <= name
		})
		if first {
			return name, nil
		}
	}
	return "", fmt.Errorf("no name for a generated file sorts before those of the folder")
}
