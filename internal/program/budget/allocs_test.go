package budget

import (
	"math/rand"
	"testing"
)

// TestNoMallocs checks that decisions allocate nothing, once their memory has grown. Functions are
// demoted and promoted again all the time.
func TestNoMallocs(t *testing.T) {
	s := simulate(t, rand.New(rand.NewSource(1)), 0.1, append(interpreter[:4:4], function{rate: 1e-3, length: 500, bytes: 100}))
	s.c.Rank = func(site uint32) int { return int(site % 2) }
	demoted, promoted := 0, 0
	note := func(changes []Change) {
		for _, ch := range changes {
			if ch.Level > full {
				demoted++
			} else {
				promoted++
			}
		}
	}
	s.took = note
	phases := func() {
		for i := range s.functions[:2] {
			s.functions[i].rate, s.functions[i+2].rate = s.functions[i+2].rate, s.functions[i].rate
		}
		s.run(300)
		s.c.Saved = mostSaved
		note(s.c.Fresh(false))
		s.run(300)
	}
	for i := 0; i < 10; i++ { // waits for promotions have got long
		phases()
	}
	demoted, promoted = 0, 0
	if n := testing.AllocsPerRun(20, phases); n != 0 || demoted == 0 || promoted == 0 {
		t.Errorf("%v mallocs in each two phases, %d demotions, %d promotions; want 0, some, some", n, demoted, promoted)
	}
}
