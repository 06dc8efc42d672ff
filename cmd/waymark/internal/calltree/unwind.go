package calltree

// Unwind ends the innermost calls of a goroutine that are over at the given clock although no event
// shows it: the events were not kept. Their ends were not recorded. It ends no call whose caller is
// not over, and those of unwindings with them.
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
