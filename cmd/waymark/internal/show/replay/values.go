package replay

import (
	"fmt"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A called is a function that was called, with its name as it is printed.
type called struct {
	tracefile.Func
	text string
}

// maxFuncs bounds the functions that a Printer keeps.
const maxFuncs = 1 << 16

// function returns the function of a site.
func (p *Printer) function(site uint32) *called {
	if uint64(site) < uint64(len(p.funcs)) && p.funcs[site] != nil {
		return p.funcs[site]
	}
	f := new(called)
	var ok bool
	if f.Func, ok = p.file.Func(site); ok {
		f.text = p.opt.Names.Short(f.Name)
	} else {
		f.text = fmt.Sprintf("unknown function %d", site)
	}
	if site < maxFuncs {
		for int(site) >= len(p.funcs) {
			p.funcs = append(p.funcs, nil)
		}
		p.funcs[site] = f
	}
	return f
}

// Name returns the name of a site's function, as lines have it.
func (p *Printer) Name(site uint32) string { return p.name(site) }

// name returns the name of a site's function.
func (p *Printer) name(site uint32) string { return p.function(site).text }

// arguments are the arguments of a call as text, before and after the receiver if that has a label.
type arguments struct {
	before, after string
	receiver      *recorded.Receiver
	whole         string // the receiver's text with what it points to
}

// place stands for the receiver in the text of all arguments.
const place = "\x00"

// text returns the arguments with the receiver's label, behind which stands what it points to the
// first time, and when that has changed.
func (a *arguments) text() string {
	switch {
	case a.receiver == nil:
		return a.before
	case a.receiver.Shown == a.whole:
		return a.before + a.receiver.Label + a.after
	}
	a.receiver.Shown = a.whole
	return a.before + a.whole + a.after
}

// args returns the arguments of a call that begins. It returns (…) if they weren't recorded, and ()
// if the function has none, or if nobody asked for them.
func (p *Printer) args(c *calltree.Call) arguments {
	f := p.function(c.Site)
	if c.Args == nil {
		return arguments{before: value.Join(nil, f.Args, false)}
	}
	values, err := value.Decode(c.Args, p.file.Type)
	a := arguments{receiver: p.receivers.Of(f.Name, values)}
	texts := make([]string, len(values))
	for i := range values {
		switch {
		case i > 0 || a.receiver == nil:
			texts[i] = p.values.Value(&values[i])
		default:
			texts[i] = place
			a.whole = p.values.Target(a.receiver.Label, &values[i])
		}
	}
	a.before, a.after, _ = strings.Cut(value.Join(texts, f.Args, err != nil), place)
	return a
}

// results returns the results of a call that has ended, if it returned and they were recorded.
func (p *Printer) results(c *calltree.Call) string {
	data := recorded.Results(c)
	if data == nil {
		return ""
	}
	values, err := value.Decode(data, p.file.Type)
	f := p.function(c.Site)
	if len(values) == 1 && err == nil && len(f.Results) == 1 {
		return " = " + p.values.Value(&values[0])
	}
	return " = " + p.values.List(values, f.Results, err != nil)
}
