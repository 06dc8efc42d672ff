package format

// What Encoder and Decoder share, fresh for each block: see "Events" in doc.go.

// A predictor guesses the next enter of a stream from its previous enter or exit.
// Calls in a program follow each other in few ways. So one remembered successor is
// right for most, and the event shrinks to its time. Encoder and decoder run the
// same one. Two contexts that collide cost bytes, not correctness.
type predictor struct {
	next [predictions]prediction
	slot uint32
}

// A prediction is a site, from bit SiteShift on, and what its token is greater by than that of the
// calling frame, modulo 2^32.
type prediction uint64

func predict(site, more uint32) prediction { return prediction(site)<<SiteShift | prediction(more) }

func (p prediction) site() uint32 { return uint32(p >> SiteShift) }
func (p prediction) more() uint32 { return uint32(p) }

const predictions = 1024 // 8 KB: cleared for each block, and at home in the first-level cache

// after makes an enter (exit 0) or exit (1) of site the context of the next guess.
func (p *predictor) after(site, exit uint32) {
	p.slot = contextOf(site, exit)
}

// contextOf returns the number of a context in the table.
func contextOf(site, exit uint32) uint32 { return (site*2 + exit) * 0x9E3779B1 >> 22 }

// A frame is an open call that was entered in the block: the Word of its enter.
type frame uint64

func frameOf(site, token uint32) frame { return frame(site)<<SiteShift | frame(token) }

func (f frame) site() uint32  { return uint32(f >> SiteShift) }
func (f frame) token() uint32 { return uint32(f) }

// model is the state that encoder and decoder share.
type model struct {
	predictor
	stack []frame // the first one is 0, and no call: the outermost enter counts from its token
}

func (m *model) reset() {
	m.next = [predictions]prediction{}
	m.goroutine()
}

// goroutine forgets the stack: another goroutine runs.
func (m *model) goroutine() {
	m.stack = append(m.stack[:0], 0)
	m.slot = 0
}

// top returns the token of the innermost call, the base that enters count from.
func (m *model) top() uint32 { return m.stack[len(m.stack)-1].token() }

// unwind removes the frames with tokens greater than token: they are gone.
func (m *model) unwind(token uint32) {
	n := len(m.stack)
	for m.stack[n-1].token() > token {
		n--
	}
	m.stack = m.stack[:n]
}

// exit removes the frame of site with token and those above it. Inlining may
// give a caller and its callee the same token, so the site decides among equals.
func (m *model) exit(site, token uint32) {
	m.unwind(token)
	for n := len(m.stack); n > 1 && m.stack[n-1].token() == token; n-- {
		if m.stack[n-1].site() == site {
			m.stack = m.stack[:n-1]
			return
		}
	}
}

// Tags of records in Events blocks.
const (
	tagExit = iota
	tagPredicted
	tagEnter
	tagOther
	tagBits = 2
)
