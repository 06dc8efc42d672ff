package transcript

import (
	"fmt"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/value"
)

// maxNames bounds the names that a Printer keeps.
const maxNames = 1 << 16

// name gives the name of a site's function.
func (p *Printer) name(site uint32) string {
	if uint64(site) < uint64(len(p.names)) && p.names[site] != "" {
		return p.names[site]
	}
	name := fmt.Sprintf("unknown function %d", site)
	if s, ok := p.file.Site(site); ok {
		name = p.opt.Names.Short(s.Name)
	}
	if site < maxNames {
		for int(site) >= len(p.names) {
			p.names = append(p.names, "")
		}
		p.names[site] = name
	}
	return name
}

// args returns the arguments of a call that begins: () if they weren't recorded.
func (p *Printer) args(c *calltree.Call) arguments {
	if c.Args == nil {
		return arguments{before: "()"}
	}
	values, err := value.Decode(c.Args, p.file.Type)
	site, _ := p.file.Site(c.Site)
	a := arguments{receiver: p.receivers.of(site.Name, values)}
	texts := make([]string, len(values))
	for i := range values {
		switch {
		case i > 0 || a.receiver == nil:
			texts[i] = p.values.Value(&values[i])
		default:
			texts[i] = place
			if !a.receiver.shown {
				a.whole = p.values.Target(a.receiver.label, &values[i])
			}
		}
	}
	a.before, a.after, _ = strings.Cut(value.Join(texts, site.Args, err != nil), place)
	return a
}

// results gives the results of a call that has ended, if it returned and they were recorded.
func (p *Printer) results(c *calltree.Call) string {
	if c.Results == nil || c.Flags&(calltree.Panicked|calltree.Exited) != 0 && c.Flags&calltree.Recovered == 0 {
		return ""
	}
	values, err := value.Decode(c.Results, p.file.Type)
	site, _ := p.file.Site(c.Site)
	if len(values) == 1 && err == nil && len(site.Results) == 1 {
		return " = " + p.values.Value(&values[0])
	}
	return " = " + p.values.List(values, site.Results, err != nil)
}
