package instrument

import (
	"go/token"
	"go/version"
	"path/filepath"
	"strings"
)

// nameLines makes the names of files in //line directives absolute. From go1.27 on, the compiler
// takes relative names from the folder of the file that it reads, the rewritten one. Before, it
// took them from the folder of the package. What cgo makes of a file is in another folder in plain
// builds, too.
func (w *rewriter) nameLines(fset *token.FileSet) {
	if w.src.Cgo || version.Compare(version.Lang(w.opts.Toolchain), "go1.27") < 0 {
		return
	}
	dir := filepath.Dir(w.src.Path)
	for _, group := range w.src.AST.Comments {
		for _, c := range group.List {
			const prefix = len("//line ")
			if !strings.HasPrefix(c.Text, "/*line ") && (!strings.HasPrefix(c.Text, "//line ") || fset.PositionFor(c.Pos(), false).Column != 1) {
				continue
			}
			if size := fileName(c.Text[prefix:]); size > 0 && !filepath.IsAbs(c.Text[prefix:prefix+size]) {
				w.buf.Insert(w.src.Offset(c.Pos())+prefix, filepath.ToSlash(dir)+"/")
			}
		}
	}
}

// fileName returns the length of the file's name at the start of a //line directive's text; 0 if the
// directive has none, or isn't one.
func fileName(text string) int {
	text = strings.TrimSuffix(text, "*/")
	size := 0
	for range 2 { // the line, or the line and the column
		i := strings.LastIndexByte(text, ':')
		if i < 0 || text[i+1:] == "" || strings.Trim(text[i+1:], "0123456789") != "" {
			break
		}
		text, size = text[:i], i
	}
	return size
}
