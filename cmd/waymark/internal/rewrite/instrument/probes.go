package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/hook"
	"github.com/waymark-go/waymark/cmd/waymark/internal/usdt/probetable"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/usdt"
)

// A probing is what the edits need to know of a function with USDT probes.
type probing struct {
	at      int  // index of the function's word in the unit's table of probes
	results bool // the return probe passes the results
}

// HasProbes reports whether f gets USDT probes.
func (f *Func) HasProbes() bool { return f.Instrument && f.Probed && !f.Mark.IsInfo() }

// needsResults reports whether every return assigns the results before the exit.
func (f *Func) needsResults() bool { return f.Results || f.probing.results }

// describeProbes makes the table of the unit's probes. Functions whose names become the same one are
// told apart by numbers.
func (p *Plan) describeProbes() error {
	var list []*Func
	used := make(map[string]bool)
	for _, f := range p.analysis.Funcs {
		if !f.HasProbes() {
			continue
		}
		list = append(list, f)
		provider, base := ProbeNames(p.analysis.tree.Unit.ImportPath, f.Name)
		name := base
		for i := 2; used[name]; i++ {
			name = fmt.Sprintf("%s_%d", base, i)
		}
		used[name] = true
		s := probetable.Site{Index: f.site}
		s.Entry = &probetable.Probe{Provider: provider, Name: name + "__entry", Function: f.Name, Args: p.arguments(f.Type.Params)}
		if len(f.exits.returns) > 0 || f.exits.end {
			s.Return = &probetable.Probe{Provider: provider, Name: name + "__return", Function: f.Name}
			if f.probing.results {
				s.Return.Args = p.arguments(f.Type.Results)
			}
		}
		p.Probes.Sites = append(p.Probes.Sites, s)
	}
	if p.analysis.opts.Providers {
		p.providers = providers(p.analysis.tree)
	}
	for i := range p.providers {
		for _, s := range p.providers[i].sites {
			s.Index = providerIndex + len(p.Probes.Sites)
			p.Probes.Sites = append(p.Probes.Sites, s)
		}
	}
	if len(p.Probes.Sites) == 0 {
		return nil
	}
	words, first, err := probetable.Words(&p.Probes)
	if err != nil {
		return fmt.Errorf("package %s: %w", p.analysis.tree.Unit.ImportPath, err)
	}
	p.words, p.first = words, first
	for i, f := range list {
		f.probing.at = first + i*probetable.Stride
	}
	return nil
}

// ProbeNames returns the provider and the first part of the name of a function's probes. Both are
// words of letters, digits and _, which all tracers can name: example.com/m/store.(*Shelf[...]).Put
// becomes example_com_m_store and Shelf_Put.
func ProbeNames(importPath, function string) (provider, name string) {
	_, local := names.Split(function)
	local = strings.ReplaceAll(local, "[...]", "")
	local = strings.NewReplacer("(*", "", "(", "", ")", "").Replace(local)
	if strings.HasPrefix(function, "main.") {
		importPath = "main"
	}
	return usdt.ProviderName(importPath), word(local)
}

// mostName is the length from which on a name has no room for what is added to it.
const mostName = usdt.MaxName - len("_999__return")

// word returns a name that resembles s, and has room for what is added. The end of a long s says more
// than its beginning.
func word(s string) string {
	name := usdt.Name(s)
	return usdt.Name(name[max(0, len(name)-mostName):])
}

// arguments describes the values that a probe passes of the variables in list. All are widened to
// 8 bytes.
func (p *Plan) arguments(list *ast.FieldList) (args []probetable.Argument) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		size := -8
		typ, _ := field.Type.(*ast.Ellipsis)
		if typ == nil && unsigned(p.analysis.tree.Info.TypeOf(field.Type)) {
			size = 8
		}
		text := types.ExprString(field.Type)
		for _, name := range valueNames(&ast.FieldList{List: []*ast.Field{field}}) {
			if len(args) == probetable.MaxArguments {
				return args
			}
			args = append(args, probetable.Argument{Name: name, Type: text, Size: size})
		}
	}
	return args
}

// unsigned reports whether t is known to be passed as a number that is never negative.
func unsigned(t types.Type) bool {
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsUnsigned|types.IsString|types.IsBoolean|types.IsFloat) != 0
}

// probeWord is the word that a function with probes checks at entry.
func (w *rewriter) probeWord(f *Func) string { return fmt.Sprintf("%s[%d]", w.probes(), f.probing.at) }

// probedFunction inserts the code of a function with probes. Its word has semaphores in its upper half:
// tracers raise them.
func (w *rewriter) probedFunction(f *Func) {
	frame, word := w.frame(), w.probeWord(f)
	site := w.invoke(hook.Site, frame)
	enter := w.call(f, site)
	if f.Args {
		enter = "if " + w.invoke(hook.Valued, site) + " { " + frame + " = " + enter + " } else { " + frame + " = " + w.invoke(hook.Enter, site) + " }"
	} else {
		enter = frame + " = " + enter
	}
	how, args, enterHook := hook.ProbeNoValues, w.values(f.Type.Params, w.parameter(f), ""), hook.EnterProbed
	if f.Args { // with the receiver, which probes pass over
		how = hook.ProbeValues + (count(f.Params())-count(f.Type.Params))*hook.ProbeSkip
		enterHook = w.textual(hook.EnterProbed, hook.EnterProbedStrings)
		args = w.values(f.Params(), w.arg, "")
	}
	begin := fmt.Sprintf("if %[1]s>>32 != 0 { %[1]s = %[2]s } else if %[3]s { %[1]s = 0 } else { %[4]s }", frame,
		w.invoke(enterHook, fmt.Sprintf("&%s, %d%s", word, how, args)), w.done(site), enter)
	if in := w.within(f); in != "" && (len(f.exits.returns) > 0 || f.exits.end) {
		begin += "; " + strings.TrimSuffix(in, "; ")
	}
	assign := frame + " := " + w.invoke(hook.Frame, word)
	switch {
	case f.exits.deferred:
		w.enter(f, "if "+assign+"; "+frame+" != 0 { "+begin+"; if "+frame+" != 0 { defer "+w.deferredProbe(f)+" } }")
	case len(f.exits.returns) == 0 && !f.exits.end:
		w.enter(f, "if "+assign+"; "+frame+" != 0 { "+begin+" }")
	default:
		w.enter(f, assign+"; if "+frame+" != 0 { "+begin+" }")
		for _, ret := range f.exits.returns {
			w.ret(f, ret)
		}
		if f.exits.end {
			w.end(f)
		}
	}
}

// probedExit is the code for the end of a call of a function with probes whose frame isn't 0.
func (w *rewriter) probedExit(f *Func, exit string) string {
	word := w.probeWord(f)
	results := ""
	if f.probing.results {
		results = w.values(f.Type.Results, w.result, "")
	}
	return fmt.Sprintf("if %s>>32 != 0 { %s }; if %s>>32 != 0 { %s }", word, w.invoke(hook.ReturnProbed, "&"+word+results), w.frame(), exit)
}

// deferredProbe is the deferred call of the hook for the end.
func (w *rewriter) deferredProbe(f *Func) string {
	how, results, exitHook := hook.ProbeNoValues, "", hook.ExitProbed
	if f.probing.results {
		results = w.values(f.Type.Results, w.result, "&")
		secret := w.secrets(f.Type.Results)
		switch {
		case f.Results:
			how, exitHook = hook.ProbeValues, w.textual(hook.ExitProbed, hook.ExitProbedStrings)
		case f.fails && !secret[len(secret)-1]:
			how = hook.ProbeError
		}
	}
	return w.invoke(exitHook, fmt.Sprintf("&%s, %s, %d%s", w.probeWord(f), w.frame(), how, results))
}

// probeTable writes the declaration of the table of probes.
func (p *Plan) probeTable(b *strings.Builder) {
	if len(p.words) == 0 {
		return
	}
	n := p.names
	fmt.Fprintf(b, "\nvar %s = [...]%s{", n.probes(), n.hook(hook.Probe))
	for i, word := range p.words {
		if i%8 == 0 {
			b.WriteString("\n\t")
		}
		fmt.Fprintf(b, "%#x,", word)
	}
	b.WriteString("\n}\n")
}

// packageProbes returns the fields of the unit's package that tell of probes. at of a provider is the
// index of its first probe among all words behind the table's head.
func (p *Plan) packageProbes() string {
	if len(p.words) == 0 {
		return ""
	}
	n := p.names
	var b strings.Builder
	fmt.Fprintf(&b, ", %s: %s[%d:]", hook.Probes, n.probes(), p.first)
	if len(p.providers) == 0 {
		return b.String()
	}
	at := len(p.Probes.Sites)
	for _, one := range p.providers {
		at -= len(one.sites)
	}
	fmt.Fprintf(&b, ", %s: []%s{", hook.Providers, n.hook(hook.Provider))
	for _, one := range p.providers {
		var names []string
		for _, s := range one.sites {
			names = append(names, s.Entry.Name)
		}
		fmt.Fprintf(&b, "{%s: %q, %s: %q, %s: %q, %s: %d},", hook.ProviderType, one.typ, hook.ProviderName, one.name, hook.ProviderProbes, strings.Join(names, ","), hook.ProviderAt, at)
		at += len(one.sites)
	}
	b.WriteString("}")
	return b.String()
}
