package calltree

import "bytes"

// A Selection chooses calls of those that a Builder tells: who prints them sees fewer,
// and of these what he would have seen. All that is set has to choose a call. The zero
// value chooses all.
type Selection struct {
	Show    func(site uint32) bool // calls of these functions, unless nil
	Root    func(site uint32) bool // calls of these functions and all that they make, unless nil
	Callers func(site uint32) bool // calls of these functions and their callers, unless nil
	Min     uint64                 // ticks; calls that take as long
	Depth   int                    // calls with fewer callers that are chosen; 0 is no limit

	// If, unless nil, chooses calls by what was recorded of them. Without Callers they are then told
	// one by one, without callers and callees, as they end.
	If Chooser
}

// A Chooser chooses calls by what is known of them where they begin, and where they end. Exit is told
// what Enter has returned, and asked only about calls for which Enter was ok.
type Chooser interface {
	Enter(*Call) (slots uint64, ok bool)
	Exit(c *Call, slots uint64) bool
}

// All reports whether s chooses all calls.
func (s *Selection) All() bool {
	return s.Show == nil && s.Root == nil && s.Callers == nil && s.Min == 0 && s.Depth == 0 && s.If == nil
}

// Of returns functions for Options.OnEnter, OnCall and OnWait that pass the chosen calls on, and what
// goroutines wait for in these calls. onWait may be nil. A Call's Depth counts the chosen ones. A
// call may be chosen because of its duration, or of what it calls. It is passed to onEnter once
// that is known, and so after calls of other goroutines that began later.
func (s *Selection) Of(onEnter, onCall, onWait func(*Call)) (enter, call, wait func(*Call)) {
	if s.All() {
		return onEnter, onCall, onWait
	}
	x := &selecting{Selection: s, onEnter: onEnter, onCall: onCall, onWait: onWait, stacks: make(map[uint64][]candidate)}
	if onWait != nil {
		wait = x.wait
	}
	return x.enter, x.call, wait
}

// selecting follows the stacks of goroutines.
type selecting struct {
	*Selection
	onEnter, onCall func(*Call)
	onWait          func(*Call)
	stacks          map[uint64][]candidate // of the open calls
}

// A candidate is an open call that may be chosen.
type candidate struct {
	entered Call // as it is passed on
	below   bool // it is one of Root or called by one
	out     bool // it is not chosen, whatever comes
	itself  bool // it is chosen if it takes long enough; else because of what it calls
	told    bool // it and its callers have been passed to onEnter, but for those that are out
	slots   uint64
}

// candidate looks at a call that begins with the given stack below.
func (x *selecting) candidate(c *Call, stack []candidate) candidate {
	n := candidate{entered: *c, below: x.Root == nil || x.Root(c.Site)}
	n.entered.Depth = 0
	if len(stack) > 0 {
		caller := &stack[len(stack)-1]
		n.below = n.below || caller.below
		if n.entered.Depth = caller.entered.Depth; !caller.out {
			n.entered.Depth++
		}
	}
	n.out = !n.below || x.Show != nil && !x.Show(c.Site) || x.Depth > 0 && n.entered.Depth >= x.Depth
	n.itself = x.Callers == nil || x.Callers(c.Site)
	if x.If != nil && n.itself && !n.out {
		n.slots, n.itself = x.If.Enter(c)
	}
	return n
}

func (x *selecting) enter(c *Call) {
	stack := x.stacks[c.Goroutine][:c.Depth]
	n := x.candidate(c, stack)
	stack = append(stack, n)
	x.stacks[c.Goroutine] = stack
	switch {
	case n.out:
	case n.itself && x.Min == 0 && x.If == nil:
		x.tell(stack)
	default:
		stack[len(stack)-1].entered.Args = bytes.Clone(c.Args)
	}
}

// tell passes on the innermost call of the stack, those that it was made by first.
func (x *selecting) tell(stack []candidate) {
	first := len(stack)
	for first > 0 && !stack[first-1].told {
		first--
	}
	for i := range stack[first:] {
		n := &stack[first+i]
		n.told = true
		if !n.out {
			x.onEnter(&n.entered)
			n.entered.Args = nil
		}
	}
}

func (x *selecting) call(c *Call) {
	stack := x.stacks[c.Goroutine]
	if c.Flags&(Info|Long) != 0 {
		n := x.candidate(c, stack[:c.Depth])
		switch {
		case !x.chooses(&n, c):
		case x.alone():
			x.pass(c, 0)
		default:
			x.tell(stack[:c.Depth])
			x.pass(c, n.entered.Depth)
		}
		return
	}
	n := &stack[c.Depth]
	chosen := !n.told && x.chooses(n, c)
	switch {
	case chosen && x.alone():
		n.entered.Depth = 0
		x.onEnter(&n.entered)
		x.pass(c, 0)
	case chosen:
		x.tell(stack[:c.Depth+1])
		fallthrough
	case n.told && !n.out:
		x.pass(c, n.entered.Depth)
	}
	if c.Depth == 0 {
		delete(x.stacks, c.Goroutine)
		return
	}
	x.stacks[c.Goroutine] = stack[:c.Depth]
}

// chooses reports whether a call that has ended is chosen because of what it is, not of what it calls.
func (x *selecting) chooses(n *candidate, c *Call) bool {
	return !n.out && n.itself && c.End-c.Began >= x.Min && (x.If == nil || x.If.Exit(c, n.slots))
}

// alone reports whether calls are told one by one.
func (x *selecting) alone() bool { return x.If != nil && x.Callers == nil }

// wait passes on a wait of a chosen call, if it takes as long as calls have to: then the call does, too. That
// of a new goroutine is of no call.
func (x *selecting) wait(c *Call) {
	if c.Depth == 0 || x.If != nil {
		return
	}
	stack := x.stacks[c.Goroutine][:c.Depth]
	n := &stack[c.Depth-1]
	if n.out || !n.told && !n.itself || c.End-c.Began < x.Min || x.Depth > 0 && n.entered.Depth+1 >= x.Depth {
		return
	}
	if !n.told {
		x.tell(stack)
	}
	chosen := *c
	chosen.Depth = n.entered.Depth + 1
	x.onWait(&chosen)
}

// pass passes on a call that ended, with the given depth.
func (x *selecting) pass(c *Call, depth int) {
	chosen := *c
	chosen.Depth = depth
	x.onCall(&chosen)
}
