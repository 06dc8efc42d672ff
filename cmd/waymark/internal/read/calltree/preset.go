package calltree

// An OpenCall is a call that is open when a Builder begins.
type OpenCall struct {
	Site, Token uint32
	Began       uint64 // clock
}

// Preset tells a Builder that has not seen a goroutine yet which calls of it are open, outer ones
// first, so that the Builder can begin in the middle of a recording. OnEnter is not called with
// them.
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
