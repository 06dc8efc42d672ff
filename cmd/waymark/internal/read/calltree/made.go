package calltree

// Made is how many heap objects calls made themselves, and not by calls that are counted.
type Made struct{ Objects, Bytes uint64 }

func (m *Made) add(n Made) {
	m.Objects += n.Objects
	m.Bytes += n.Bytes
}

// An openMade is what an open call has made. Few calls have one at a time.
type openMade struct {
	frame int // on the stack
	Made
}

// made counts objects that the innermost call of g has made.
func (b *Builder) made(g *goroutine, n Made, clock uint64) {
	if len(g.stack) > 0 && clock >= b.opt.From {
		g.madeOf(len(g.stack) - 1).add(n)
	}
}

// madeOf returns the openMade of a frame, which is the innermost one of those that have one.
func (g *goroutine) madeOf(frame int) *openMade {
	if n := len(g.mades); n == 0 || g.mades[n-1].frame < frame {
		g.mades = append(g.mades, openMade{frame: frame})
	}
	return &g.mades[len(g.mades)-1]
}

// takeMade returns what the call of the innermost frame has made, and forgets it.
func (g *goroutine) takeMade(frame int) (m Made) {
	if n := len(g.mades) - 1; n >= 0 && g.mades[n].frame == frame {
		m = g.mades[n].Made
		g.mades = g.mades[:n]
	}
	return m
}

// addMade adds what the call of f, which has ended and is counted, made to all that adds calls up.
func (b *Builder) addMade(g *goroutine, f *frame, m Made) {
	b.rows[f.row].Made.add(m)
	if b.paths != nil {
		b.paths.Nodes[f.node].Sum.made.add(m)
	}
	g.Made.add(m)
}
