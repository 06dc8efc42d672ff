package switchboard

import (
	"os"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// Switches are what a Board needs of the runtime, except on the path of calls.
type Switches interface {
	// Packages calls f for each package, and for each that registers later.
	Packages(f func(*rt.Package))

	// Want sets all that is done with calls of a site: rt.Recorded, Watched, Counted, Timed, Gathered,
	// Root, Values and Seen.
	Want(p *rt.Package, i int, flags uint32)

	// Monitor sets what observed calls are told to, before the first site is watched.
	Monitor(rt.Monitor)

	// Mute makes the calling goroutine invisible, or visible again.
	Mute(on bool)

	// HidePanics has values of panics not recorded any more.
	HidePanics()
}

// keptOfSite is how many bytes of the heap a board keeps of a function.
const keptOfSite = 200

// Default is the board of the program.
var Default = New(runtime{})

// runtime is the program's own. Built by plain Go it has no hooks, and there is nothing to switch.
type runtime struct{}

func (runtime) Packages(f func(*rt.Package)) {
	if rt.Enabled {
		rt.Packages(func(p *rt.Package) {
			rt.Reserve(len(p.Sites) * keptOfSite)
			f(p)
		})
	}
}

func (runtime) Want(p *rt.Package, i int, flags uint32) { rt.Want(p, i, flags) }

func (runtime) Monitor(m rt.Monitor) {
	if !rt.Enabled {
		return
	}
	rt.SetMonitor(m)
	pid := os.Getpid()
	rt.AtExit(func() {
		if n := rt.Unreported(); n > 0 && os.Getpid() == pid { // a copy of the process (fork) says nothing
			console.Say("%d calls, or their ends, were not reported to monitors: they were made where nothing may wait, as in sync.Pool or in callbacks of timers", n)
		}
	})
}

func (runtime) Mute(on bool) {
	if rt.Enabled {
		rt.Mute(on)
	}
}

func (runtime) HidePanics() {
	if rt.Enabled {
		rt.Hide(false)
	}
}
