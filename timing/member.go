package timing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Member is a Timer or a Group: what groups contain.
type Member interface {
	// Name gives the name, which no other timer or group of the set has.
	Name() string

	// Description says in a sentence what is measured. It may be empty.
	Description() string

	// Enable switches on what Disable switches off. A member is active while it is enabled, or a group is that contains it at
	// any depth; so Disable leaves a timer active that is in an enabled group. Both are for any goroutine.
	Enable()
	Disable()

	// Enabled tells whether the member itself is enabled.
	Enabled() bool

	// Active tells whether it is active.
	Active() bool

	base() *node
}

// A node is what timers and groups have in common.
type node struct {
	set               *Set
	name, description string

	// Guarded by set.mu.
	enabled, active bool
}

// Name gives the name, which no other timer or group of the set has.
func (n *node) Name() string { return n.name }

// Description says in a sentence what is measured. It may be empty.
func (n *node) Description() string { return n.description }

func (n *node) String() string { return n.name }

// Enable switches the member on, and with a group all that it contains.
func (n *node) Enable() { n.enable(true) }

// Disable takes Enable back. What is in another group that is enabled stays active.
func (n *node) Disable() { n.enable(false) }

func (n *node) enable(on bool) {
	n.set.change(func() error { n.enabled = on; return nil })
}

// Enabled tells whether the member itself is enabled.
func (n *node) Enabled() bool {
	n.set.mu.Lock()
	defer n.set.mu.Unlock()
	return n.enabled
}

// Active tells whether the member is enabled, or a group is that contains it at any depth.
func (n *node) Active() bool {
	n.set.mu.Lock()
	defer n.set.mu.Unlock()
	return n.active
}

func (n *node) base() *node { return n }

// validName tells whether tables and lines can show a name.
func validName(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}
