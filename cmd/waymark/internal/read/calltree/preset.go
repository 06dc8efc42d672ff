package calltree

// An OpenCall is a call that is open when a Builder begins.
type OpenCall struct {
	Site, Token uint32
	Began       uint64 // clock
}

// Preset tells a Builder which calls of a goroutine are open, outer ones first. The Builder must
// not have seen the goroutine yet. With Preset it can begin in the middle of a recording. OnEnter
// is not called with these calls.
func (b *Builder) Preset(goroutine uint64, open []OpenCall) {
	g := b.start(goroutine, 0)
	for _, c := range open {
		row, ok := b.table.row(c.Site, &b.sites)
		if !ok {
			return
		}
		b.push(g, frame{enter: c.Began, frameKey: frameKey{c.Site, c.Token}, row: row})
		g.last = max(g.last, c.Began)
	}
}
