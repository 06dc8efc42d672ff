package recorder

import (
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// register writes a package's sites before they are switched on: events whose sites are unknown
// would be worthless after a kill.
func (r *Recorder) register(p *rt.Package) {
	if !r.pid.Running() {
		return
	}
	r.rt.Mute(true)
	defer r.rt.Mute(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	table := format.AppendSites(nil, p.Base, p.Table)
	if !r.room(format.BlockHeader + len(table)) {
		r.turn()
	}
	if r.closed {
		return
	}
	r.packages = append(r.packages, p)
	r.out.block(format.BlockSites, table)
	if r.save(); r.closed {
		return
	}
	if p.Settings != r.settings {
		r.capture(p.Settings)
	}
}

// locked calls f with the lock, on a goroutine that is muted, and returns true. In a copy of the
// process (fork) it calls nothing: the lock may be held for ever there, and nothing is recorded.
func (r *Recorder) locked(f func()) bool {
	if !r.pid.Running() {
		return false
	}
	r.rt.Mute(true)
	defer r.rt.Mute(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	return true
}

// AddGroups notes groups of the program, or what else is known of some.
func (r *Recorder) AddGroups(list ...format.Group) {
	r.note(format.BlockGroups, format.AppendGroups(nil, list), func() {
		r.groups = append(r.groups[:len(r.groups):len(r.groups)], list...)
	})
}

// note writes a block at once, so that the block is in the file when the program dies. remember is
// called to note what later parts need.
func (r *Recorder) note(kind format.BlockKind, payload []byte, remember func()) {
	r.locked(func() {
		if r.closed {
			return
		}
		remember()
		r.out.block(kind, payload)
		r.save()
	})
}

// save writes what is in r.out; recording ends if that can't be.
func (r *Recorder) save() {
	if err := r.write(); err != nil {
		r.fail(err)
	}
}

// Ended reports whether recording has ended: it was closed, has failed, or the file has reached its
// size. In a copy of the process (fork) it has ended.
func (r *Recorder) Ended() (ended bool) {
	return !r.locked(func() { ended = r.closed }) || ended
}
