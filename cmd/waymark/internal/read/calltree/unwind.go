package calltree

// Unwind ends calls of a goroutine of which over reports that they have ended before the given clock,
// and the calls inside them. Their ends are not among the events that the Builder is given.
func (b *Builder) Unwind(goroutine, clock uint64, over func(token, site uint32) bool) {
	g := b.alive[goroutine]
	if g == nil || g.skip {
		return
	}
	n := len(g.stack)
	for i := range g.stack {
		if f := &g.stack[i]; over(f.token, f.site) {
			n = i
			break
		}
	}
	if n == len(g.stack) {
		return
	}
	clock = max(clock, g.last)
	g.settle(g.stack[n].token)
	for len(g.stack) > n {
		b.end(g, clock, Cut, nil)
	}
}
