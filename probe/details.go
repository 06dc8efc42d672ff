package probe

import "github.com/waymark-go/waymark/internal/wire/usdt"

// details returns what the image tells waymark beyond the notes.
func (l *live) details() ([]byte, error) {
	p := usdt.Provider{Name: l.name, Module: l.module, Attributes: usdt.Attributes{
		Provider: l.sets.Provider.String(), Module: l.sets.Module.String(), Function: l.sets.Function.String(),
		Name: l.sets.Name.String(), Args: l.sets.Args.String(),
	}}
	for _, one := range l.probes {
		q := usdt.Probe{Name: one.name, Function: one.function}
		for _, t := range one.Types() {
			q.Args = append(q.Args, t.String())
		}
		p.Probes = append(p.Probes, q)
	}
	d := usdt.Details{Providers: []usdt.Provider{p}}
	return d.Encode()
}
