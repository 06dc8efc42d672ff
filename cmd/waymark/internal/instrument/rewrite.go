package instrument

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/edit"
)

// rewriteFile inserts the code of the instrumented functions of one file.
func rewriteFile(src *source, u *unit, n *names) (Rewritten, error) {
	out := Rewritten{Path: src.Path, Source: src.Source, Reason: src.reason}
	if src.reason != "" {
		return out, nil
	}
	w := &rewriter{src: src, names: n, buf: edit.NewBuffer(src.Source)}
	for _, f := range src.funcs {
		if f.Instrumented {
			w.function(f)
		}
	}
	if !w.buf.Changed() {
		return out, nil
	}
	w.buf.Insert(src.offset(src.tree.Name.End()), fmt.Sprintf("; import %s %q", n.runtime(), u.opts.runtime()))
	text, err := w.buf.Bytes()
	if err != nil {
		return out, fmt.Errorf("%s: %w", src.Path, err)
	}
	out.Source, out.Changed = text, true
	return out, nil
}

// A rewriter queues the insertions for one file. Those at one offset must be
// queued in the order in which they are to appear.
type rewriter struct {
	src *source
	buf *edit.Buffer
	*names
}

func (w *rewriter) function(f *function) {
	word := w.sites() + "[" + strconv.Itoa(f.site) + "]"
	frame, site, enter := w.frame(), w.site(), w.runtime()+".WMEnter"
	switch {
	case f.exits.deferred:
		w.enter(f, "if "+site+" := "+word+"; "+site+" != 0 { "+frame+" := "+enter+"("+site+"); defer "+w.runtime()+".WMExit("+frame+") }")
	case len(f.exits.returns) == 0 && !f.exits.end:
		// Nothing would read a frame, and the language forbids unused variables.
		w.enter(f, "if "+site+" := "+word+"; "+site+" != 0 { "+enter+"("+site+") }")
	default:
		// One variable is the site's word first and then the frame: when the site is
		// off both are 0, and the compiler needs neither a move nor a jump.
		w.enter(f, frame+" := "+w.runtime()+".WMFrame("+word+"); if "+frame+" != 0 { "+frame+" = "+enter+"("+w.runtime()+".WMSite("+frame+")) }")
		if f.exits.named {
			w.nameResults(f.typ.Results)
		}
		for _, ret := range f.exits.returns {
			w.ret(f, ret)
		}
		if f.exits.end {
			w.end(f.body)
		}
	}
}

// enter inserts code at the start of the body. The mention of the registration
// makes Go's rules for the order of initialisation run it before the initialiser
// of any variable that calls the function.
func (w *rewriter) enter(f *function, code string) {
	w.buf.Insert(w.src.offset(f.body.Lbrace)+1, " _ = "+w.reg()+"; "+code+";")
}

func (w *rewriter) exit() string {
	frame := w.frame()
	return "if " + frame + " != 0 { " + w.runtime() + ".WMExit(" + frame + ") }"
}

// ret inserts an exit at a return. Results that take time, may panic or call
// functions are assigned before the exit. An assignment to the results treats
// untyped constants, shifts, nil and generic functions exactly as the return
// does, which a declaration of new variables would not.
func (w *rewriter) ret(f *function, ret *ast.ReturnStmt) {
	start, end := w.src.offset(ret.Pos()), w.src.offset(ret.End())
	if simple(ret.Results) {
		w.buf.Insert(start, "{ "+w.exit()+"; ")
		w.buf.Insert(end, " }")
		return
	}
	w.buf.Replace(start, start+len("return"), "{ "+strings.Join(w.resultNames(f.typ.Results), ", ")+" =")
	w.buf.Insert(end, "; "+w.exit()+"; return }")
}

// end inserts an exit before the closing brace.
func (w *rewriter) end(body *ast.BlockStmt) {
	separator := ""
	if last := len(body.List) - 1; last >= 0 && !strings.Contains(w.src.between(body.List[last].End(), body.Rbrace), "\n") {
		separator = ";"
	}
	w.buf.Insert(w.src.offset(body.Rbrace), separator+" "+w.exit()+" ")
}

// nameResults gives a name to each result that has none or a blank one.
func (w *rewriter) nameResults(results *ast.FieldList) {
	if !results.Opening.IsValid() {
		typ := results.List[0].Type
		w.buf.Insert(w.src.offset(typ.Pos()), "("+w.result(0)+" ")
		w.buf.Insert(w.src.offset(typ.End()), ")")
		return
	}
	i := 0
	for _, field := range results.List {
		if len(field.Names) == 0 {
			w.buf.Insert(w.src.offset(field.Type.Pos()), w.result(i)+" ")
			i++
		}
		for _, name := range field.Names {
			if name.Name == "_" {
				w.buf.Replace(w.src.offset(name.Pos()), w.src.offset(name.End()), w.result(i))
			}
			i++
		}
	}
}

// resultNames lists the names of the results once all have one.
func (w *rewriter) resultNames(results *ast.FieldList) []string {
	var list []string
	for _, field := range results.List {
		if len(field.Names) == 0 {
			list = append(list, w.result(len(list)))
		}
		for _, name := range field.Names {
			if name.Name == "_" {
				list = append(list, w.result(len(list)))
			} else {
				list = append(list, name.Name)
			}
		}
	}
	return list
}
