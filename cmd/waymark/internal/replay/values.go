package replay

import (
	"fmt"

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
		name = p.style.Names.Short(s.Name)
	}
	if site < maxNames {
		for int(site) >= len(p.names) {
			p.names = append(p.names, "")
		}
		p.names[site] = name
	}
	return name
}

// args gives the arguments of a call that begins: () if they weren't recorded.
func (p *Printer) args(c *calltree.Call) string {
	if c.Args == nil {
		return "()"
	}
	values, err := value.Decode(c.Args, p.file.Type)
	site, _ := p.file.Site(c.Site)
	return value.List(values, site.Args, err != nil)
}

// results gives the results of a call that has ended, if it returned and they were recorded.
func (p *Printer) results(c *calltree.Call) string {
	if c.Results == nil || c.Flags&(calltree.Panicked|calltree.Exited) != 0 && c.Flags&calltree.Recovered == 0 {
		return ""
	}
	values, err := value.Decode(c.Results, p.file.Type)
	site, _ := p.file.Site(c.Site)
	if len(values) == 1 && err == nil && len(site.Results) == 1 {
		return " = " + values[0].String()
	}
	return " = " + value.List(values, site.Results, err != nil)
}
