package calltree

// A frameKey distinguishes open calls of a goroutine: the function, and the token of its frame. The
// rules of the package comment about tokens rest on these methods.
type frameKey struct {
	site  uint32
	token uint32
}

// exits reports whether an exit of site with this token is that of the call, which is the innermost
// one. If not, other calls are over, or the call began before anything that is known.
func (k *frameKey) exits(site, token uint32) bool { return k.token == token && k.site == site }

// below reports whether the call stays open, and all that called it, when one with this token
// begins, whatever function that is of.
func (k *frameKey) below(token uint32) bool { return k.token < token }

// mayStay reports whether a call of site with this token may begin at the bottom of a span whose
// first call has the key. Then what is below the span is as open as the first call has left it.
func (k *frameKey) mayStay(site, token uint32) bool {
	return token > k.token || token == k.token && site == k.site
}

// unwind ends the calls whose tokens are greater than token.
func (b *Builder) unwind(g *goroutine, token uint32, clock uint64) {
	for n := len(g.stack); n > 0 && g.stack[n-1].token > token; n-- {
		b.endUnseen(g, clock)
	}
}

// find returns the index of the innermost frame with this site and token, or -1. It looks only at
// those with this token at the top of the stack.
func (g *goroutine) find(site, token uint32) int {
	for i := len(g.stack) - 1; i >= 0 && g.stack[i].token == token; i-- {
		if g.stack[i].site == site {
			return i
		}
	}
	return -1
}

// reach ends what is over if a call of site begins.
func (b *Builder) reach(g *goroutine, site, token uint32, clock uint64) {
	if n := len(g.stack); n > 0 && !g.stack[n-1].below(token) {
		b.unwind(g, token, clock)
		if i := g.find(site, token); i >= 0 {
			for len(g.stack) > i {
				b.endUnseen(g, clock)
			}
		}
	}
	if len(g.unwinding) > 0 {
		g.settle(token)
	}
}

// exit ends a call.
func (b *Builder) exit(g *goroutine, site, token uint32, clock uint64, results []byte) {
	n := len(g.stack)
	if n == 0 || !g.stack[n-1].exits(site, token) {
		b.unwind(g, token, clock)
		i := g.find(site, token)
		if i < 0 {
			b.problems.Unmatched++
			return
		}
		for n = len(g.stack); n > i+1; n-- {
			b.endUnseen(g, clock)
		}
	}
	b.end(g, clock, g.fate(n-1), results)
}
