package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/hook"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// rewriteFile returns the edits that insert the code of the instrumented functions of one file.
func rewriteFile(src *syntax.Source, funcs []*Func, a *Analysis, n *unique) *edit.Buffer {
	w := &rewriter{src: src, unique: n, opts: a.opts, info: a.tree.Info, buf: edit.NewBuffer(src.Source)}
	for _, f := range funcs {
		w.function(f)
	}
	w.nameLines(a.tree.Fset)
	w.buf.Insert(src.Offset(src.AST.Name.End()), fmt.Sprintf("; import %s %q", n.runtime(), a.opts.HooksPath()))
	return w.buf
}

// A rewriter queues the insertions for one file. Those at one offset must be
// queued in the order in which they are to appear.
type rewriter struct {
	src   *syntax.Source
	buf   *edit.Buffer
	opts  *Options
	info  *types.Info
	owner string // name of the function that is rewritten; "" for a literal
	*unique
}

func (w *rewriter) function(f *Func) {
	if w.owner = ""; f.Decl != nil {
		w.owner = f.Decl.Name.Name
	}
	word := w.sites() + "[" + strconv.Itoa(f.site) + "]"
	frame, site := w.frame(), w.site()
	if f.Args || f.HasProbes() && count(f.Type.Params) > 0 || len(f.carrier) > 0 {
		w.nameArgs(f)
	}
	if f.exits.named && !f.exits.deferred || f.exits.deferred && f.fails || f.needsResults() {
		w.nameFields(f.Type.Results, w.result)
	}
	wanted := site + " != 0 && !(" + w.done(site) + ")"
	switch {
	case f.HasProbes():
		w.probedFunction(f)
	case f.Mark.IsInfo():
		w.enter(f, "if "+site+" := "+word+"; "+site+" != 0 { "+w.invoke(hook.Info, site+w.values(f.Params(), w.arg, ""))+" }")
	case f.exits.deferred:
		// The hook may say that nobody wants to know of the end: no exit without an enter.
		w.enter(f, "if "+site+" := "+word+"; "+wanted+" { if "+frame+" := "+w.call(f, site)+"; "+frame+" != 0 { "+w.within(f)+"defer "+w.deferredExit(f)+" } }")
	case len(f.exits.returns) == 0 && !f.exits.end:
		// Nothing would read a frame, and the language forbids unused variables.
		w.enter(f, "if "+site+" := "+word+"; "+wanted+" { "+w.call(f, site)+" }")
	default:
		// One variable is the site's word first and then the frame. When the site is
		// off both are 0, and the compiler needs neither a move nor a jump.
		site = w.invoke(hook.Site, frame)
		begin := "{ " + frame + " = " + w.call(f, site) + " }"
		if f.Args { // nothing is boxed for a call whose values nobody wants
			begin = "if " + w.invoke(hook.Valued, site) + " " + begin + " else { " + frame + " = " + w.invoke(hook.Enter, site) + " }"
		}
		if in := w.within(f); in != "" {
			begin = "{ " + begin + "; " + in + "}"
		}
		w.enter(f, frame+" := "+w.invoke(hook.Frame, word)+"; if "+frame+" != 0 { if "+w.done(site)+" { "+frame+" = 0 } else "+begin+" }")
		for _, ret := range f.exits.returns {
			w.ret(f, ret)
		}
		if f.exits.end {
			w.end(f)
		}
	}
}

// done returns a condition that holds if nothing more is to be done at the start of a call.
func (w *rewriter) done(site string) string {
	return w.invoke(hook.Light, site) + " && " + w.invoke(hook.Done, site)
}

// enter inserts code at the start of the body. The mention of the registration
// makes Go's rules for the order of initialisation run it before the initialiser
// of any variable that calls the function.
func (w *rewriter) enter(f *Func, code string) {
	w.buf.Insert(w.src.Offset(f.Body.Lbrace)+1, " _ = "+w.reg()+"; "+code+";")
}

// call is the call of the hook for the entry.
func (w *rewriter) call(f *Func, site string) string {
	if !f.Args {
		return w.invoke(hook.Enter, site)
	}
	if kinds, ok := w.ints(f.Params()); ok {
		return w.invoke(hook.EnterInts, site+w.words(f.Params(), w.arg, kinds))
	}
	return w.invoke(w.textual(hook.EnterArgs, hook.EnterStrings), site+w.values(f.Params(), w.arg, ""))
}

// within is the statement by which a call that begins a trace hands on what may name the span that it is in, or "".
func (w *rewriter) within(f *Func) string {
	if len(f.carrier) == 0 {
		return ""
	}
	variables, args := w.variables(f.Type.Params, w.parameter(f)), ""
	for _, i := range f.carrier {
		args += ", " + variables[i]
	}
	return "if " + w.invoke(hook.Begins, w.frame()) + " { " + w.invoke(hook.Within, w.frame()+args) + " }; "
}

// exit is the call of the hook for the exit at a return, or at the end of the body. Results that
// are recorded are in variables.
func (w *rewriter) exit(f *Func, ret *ast.ReturnStmt) string {
	if f.HasProbes() {
		return w.probedExit(f, w.recordedExit(f, ret))
	}
	return w.recordedExit(f, ret)
}

// recordedExit is the call of the hook for the exit of which waymark wants to know.
func (w *rewriter) recordedExit(f *Func, ret *ast.ReturnStmt) string {
	err := w.returned(f, ret)
	switch {
	case f.Results && err != "":
		return w.invoke(hook.Error, w.frame()+", "+err) + "; " + w.exitResults(f)
	case f.Results:
		return w.exitResults(f)
	case err != "":
		return w.invoke(hook.ExitError, w.frame()+", "+err)
	}
	return w.invoke(hook.Exit, w.frame())
}

func (w *rewriter) exitResults(f *Func) string {
	if kinds, ok := w.ints(f.Type.Results); ok {
		return w.invoke(hook.ExitInts, w.frame()+w.words(f.Type.Results, w.result, kinds))
	}
	return w.invoke(w.textual(hook.ExitResults, hook.ExitStrings), w.frame()+w.values(f.Type.Results, w.result, ""))
}

// deferredExit is that of a deferred call, whose arguments are evaluated before the
// results are there. A function literal would read them later, but the compiler
// counts those in the names of all that follow.
func (w *rewriter) deferredExit(f *Func) string {
	if !f.Results {
		if err := w.returned(f, nil); err != "" {
			return w.invoke(hook.ExitDeferredError, w.frame()+", &"+err)
		}
		return w.invoke(hook.Exit, w.frame())
	}
	return w.invoke(w.textual(hook.ExitDeferred, hook.ExitDeferredStrings), w.frame()+w.values(f.Type.Results, w.result, "&"))
}

// textual returns the hook for values, or the one for values as text.
func (w *rewriter) textual(values, strings string) string {
	if w.opts.Stringers {
		return strings
	}
	return values
}

func (w *rewriter) check(code string) string { return "if " + w.frame() + " != 0 { " + code + " }" }

// ret inserts an exit at a return. Results that take time, may panic or call functions
// are assigned before the exit, and so are all that are recorded. An assignment to the
// results treats untyped constants, shifts, nil and generic functions exactly as the
// return does. A declaration of new variables would not. What was assigned isn't
// evaluated again: in return b, a it may mean the results.
func (w *rewriter) ret(f *Func, ret *ast.ReturnStmt) {
	start, end := w.src.Offset(ret.Pos()), w.src.Offset(ret.End())
	if len(ret.Results) == 0 || simple(ret.Results) && !f.needsResults() {
		w.buf.Insert(start, "{ "+w.check(w.exit(f, ret))+"; ")
		w.buf.Insert(end, " }")
		return
	}
	results := w.variables(f.Type.Results, w.result)
	w.buf.Replace(start, start+len("return"), "{ "+strings.Join(results, ", ")+" =")
	for i, e := range ret.Results {
		// go vet, which go test runs, takes n = n for a mistake.
		if id, ok := e.(*ast.Ident); ok && i < len(results) && id.Name == results[i] {
			w.buf.Insert(w.src.Offset(e.Pos()), "(")
			w.buf.Insert(w.src.Offset(e.End()), ")")
		}
	}
	w.buf.Insert(end, "; "+w.check(w.exit(f, ret))+"; return }")
}

// end inserts an exit before the closing brace.
func (w *rewriter) end(f *Func) {
	separator := ""
	if last := len(f.Body.List) - 1; last >= 0 && !strings.Contains(w.src.Between(f.Body.List[last].End(), f.Body.Rbrace), "\n") {
		separator = ";"
	}
	w.buf.Insert(w.src.Offset(f.Body.Rbrace), separator+" "+w.check(w.exit(f, nil))+" ")
}
