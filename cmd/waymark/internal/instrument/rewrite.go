package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/edit"
)

// rewriteFile inserts the code of the instrumented functions of one file.
func rewriteFile(src *source, u *unit, n *names) (Rewritten, error) {
	out := Rewritten{Path: src.Path, Source: src.Source, Reason: src.reason}
	if src.reason != "" || u.opts.NoCode {
		return out, nil
	}
	w := &rewriter{src: src, names: n, opts: u.opts, info: u.info, buf: edit.NewBuffer(src.Source)}
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
	out.Source, out.Changed, out.Runs = text, true, w.buf.Runs()
	return out, nil
}

// A rewriter queues the insertions for one file. Those at one offset must be
// queued in the order in which they are to appear.
type rewriter struct {
	src  *source
	buf  *edit.Buffer
	opts *Options
	info *types.Info
	*names
}

func (w *rewriter) function(f *function) {
	word := w.sites() + "[" + strconv.Itoa(f.site) + "]"
	frame, site := w.frame(), w.site()
	if f.args {
		w.nameArgs(f)
	}
	if f.exits.named && !f.exits.deferred || f.results {
		w.nameFields(f.typ.Results, w.result)
	}
	switch {
	case f.info:
		w.enter(f, "if "+site+" := "+word+"; "+site+" != 0 { "+w.runtime()+".WMInfo("+site+w.values(f.params(), w.arg, "")+") }")
	case f.exits.deferred:
		w.enter(f, "if "+site+" := "+word+"; "+site+" != 0 { "+frame+" := "+w.call(f, site)+"; defer "+w.deferredExit(f)+" }")
	case len(f.exits.returns) == 0 && !f.exits.end:
		// Nothing would read a frame, and the language forbids unused variables.
		w.enter(f, "if "+site+" := "+word+"; "+site+" != 0 { "+w.call(f, site)+" }")
	default:
		// One variable is the site's word first and then the frame: when the site is
		// off both are 0, and the compiler needs neither a move nor a jump.
		w.enter(f, frame+" := "+w.runtime()+".WMFrame("+word+"); if "+frame+" != 0 { "+frame+" = "+w.call(f, w.runtime()+".WMSite("+frame+")")+" }")
		for _, ret := range f.exits.returns {
			w.ret(f, ret)
		}
		if f.exits.end {
			w.end(f)
		}
	}
}

// enter inserts code at the start of the body. The mention of the registration
// makes Go's rules for the order of initialisation run it before the initialiser
// of any variable that calls the function.
func (w *rewriter) enter(f *function, code string) {
	w.buf.Insert(w.src.offset(f.body.Lbrace)+1, " _ = "+w.reg()+"; "+code+";")
}

// call is the call of the hook for the entry.
func (w *rewriter) call(f *function, site string) string {
	if !f.args {
		return w.runtime() + ".WMEnter(" + site + ")"
	}
	if kinds, ok := w.ints(f.params()); ok {
		return w.runtime() + ".WMEnterInts(" + site + w.words(f.params(), w.arg, kinds) + ")"
	}
	return w.runtime() + w.hook(".WMEnterArgs", ".WMEnterStrings") + "(" + site + w.values(f.params(), w.arg, "") + ")"
}

// exit is the call of the hook for the exit, where all results are in variables.
func (w *rewriter) exit(f *function) string {
	if !f.results {
		return w.runtime() + ".WMExit(" + w.frame() + ")"
	}
	if kinds, ok := w.ints(f.typ.Results); ok {
		return w.runtime() + ".WMExitInts(" + w.frame() + w.words(f.typ.Results, w.result, kinds) + ")"
	}
	return w.runtime() + w.hook(".WMExitResults", ".WMExitStrings") + "(" + w.frame() + w.values(f.typ.Results, w.result, "") + ")"
}

// deferredExit is that of a deferred call, whose arguments are evaluated before the
// results are there. A function literal would read them later, but the compiler
// counts those in the names of all that follow.
func (w *rewriter) deferredExit(f *function) string {
	if !f.results {
		return w.exit(f)
	}
	return w.runtime() + w.hook(".WMExitDeferred", ".WMExitDeferredStrings") + "(" + w.frame() + w.values(f.typ.Results, w.result, "&") + ")"
}

// hook gives the hook for values, or that for values as text.
func (w *rewriter) hook(values, strings string) string {
	if w.opts.Stringers {
		return strings
	}
	return values
}

func (w *rewriter) check(code string) string { return "if " + w.frame() + " != 0 { " + code + " }" }

// ret inserts an exit at a return. Results that take time, may panic or call
// functions are assigned before the exit, and so are all that are recorded. An
// assignment to the results treats untyped constants, shifts, nil and generic
// functions exactly as the return does, which a declaration of new variables would
// not. What was assigned isn't evaluated again: in return b, a it may mean the results.
func (w *rewriter) ret(f *function, ret *ast.ReturnStmt) {
	start, end := w.src.offset(ret.Pos()), w.src.offset(ret.End())
	if len(ret.Results) == 0 || simple(ret.Results) && !f.results {
		w.buf.Insert(start, "{ "+w.check(w.exit(f))+"; ")
		w.buf.Insert(end, " }")
		return
	}
	results := w.variables(f.typ.Results, w.result)
	w.buf.Replace(start, start+len("return"), "{ "+strings.Join(results, ", ")+" =")
	for i, e := range ret.Results {
		// go vet, which go test runs, takes n = n for a mistake.
		if id, ok := e.(*ast.Ident); ok && i < len(results) && id.Name == results[i] {
			w.buf.Insert(w.src.offset(e.Pos()), "(")
			w.buf.Insert(w.src.offset(e.End()), ")")
		}
	}
	w.buf.Insert(end, "; "+w.check(w.exit(f))+"; return }")
}

// end inserts an exit before the closing brace.
func (w *rewriter) end(f *function) {
	separator := ""
	if last := len(f.body.List) - 1; last >= 0 && !strings.Contains(w.src.between(f.body.List[last].End(), f.body.Rbrace), "\n") {
		separator = ";"
	}
	w.buf.Insert(w.src.offset(f.body.Rbrace), separator+" "+w.check(w.exit(f))+" ")
}
