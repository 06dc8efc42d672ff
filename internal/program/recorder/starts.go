package recorder

import "github.com/waymark-go/waymark/internal/wire/format"

// mostOver bounds a table of goroutines.
const mostOver = 1 << 16

// goroutines notes which goroutines are alive.
func (k *keeping) goroutines(g *region) {
	for _, s := range g.starts {
		if k.over[s.Goroutine] {
			delete(k.over, s.Goroutine)
		} else {
			k.live[s.Goroutine] = s
		}
	}
	for _, id := range g.ended {
		if _, ok := k.live[id]; ok {
			delete(k.live, id)
		} else if len(k.over) < mostOver { // beyond that, starts are kept in vain
			k.over[id] = true
		}
	}
}

// starts returns the starts of goroutines in the regions that are alive. They are to be told once.
func (k *keeping) starts(free []*region) (list []format.Started) {
	for _, g := range free {
		for _, s := range g.starts {
			if _, ok := k.live[s.Goroutine]; ok {
				delete(k.live, s.Goroutine)
				list = append(list, s)
			}
		}
	}
	return list
}
