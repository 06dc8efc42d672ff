package timing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Member is a Timer or a Group: what groups contain.
type Member interface {
	// Name returns the name, which no other timer or group of the set has.
	Name() string

	// Description returns a sentence that says what is measured. It may be empty.
	Description() string

	// Enable switches the member on, Disable switches it off. A member is active while the member
	// itself is enabled, or a group that contains the member at any depth is enabled. So Disable
	// leaves a timer in an enabled group active. Any goroutine may call Enable and Disable.
	Enable()
	Disable()

	// Enabled reports whether the member itself is enabled.
	Enabled() bool

	// Active reports whether the member, or a group that contains it at any depth, is enabled.
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

// Name returns the name, which no other timer or group of the set has.
func (n *node) Name() string { return n.name }

// Description returns a sentence that says what is measured. It may be empty.
func (n *node) Description() string { return n.description }

func (n *node) String() string { return n.name }

// Enable switches the member on, and with a group all that the group contains.
func (n *node) Enable() { n.enable(true) }

// Disable takes Enable back. What another enabled group contains stays active.
func (n *node) Disable() { n.enable(false) }

func (n *node) enable(on bool) {
	n.set.change(func() error { n.enabled = on; return nil })
}

// Enabled reports whether the member itself is enabled.
func (n *node) Enabled() bool {
	n.set.mu.Lock()
	defer n.set.mu.Unlock()
	return n.enabled
}

// Active reports whether the member, or a group that contains it at any depth, is enabled.
func (n *node) Active() bool {
	n.set.mu.Lock()
	defer n.set.mu.Unlock()
	return n.active
}

func (n *node) base() *node { return n }

// validName reports whether tables and lines can show a name.
func validName(name string) bool {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, unprintable)
}
