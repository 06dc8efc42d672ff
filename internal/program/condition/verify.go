package condition

import "fmt"

// Verify returns an error if a code can't be evaluated whatever the types of values are.
func (p *Program) Verify() error {
	for _, c := range p.Slots {
		if len(c) == 0 {
			return fmt.Errorf("%w: an empty slot", ErrBad)
		}
	}
	for _, c := range append([]Code{p.Enter}, p.Slots...) {
		if err := c.verify(false, 0); err != nil {
			return err
		}
	}
	return p.Exit.verify(true, len(p.Slots))
}

// verify follows the depth of the stack through the code.
func (c Code) verify(exit bool, slots int) error {
	if len(c) == 0 {
		return nil
	}
	depth := 0
	var joined [MaxInstructions + 1]int // depth+1 that jumps to an instruction come with; 0: none
	if len(c) > MaxInstructions {
		return fmt.Errorf("%w: %d instructions, at most %d", ErrBad, len(c), MaxInstructions)
	}
	for i := range c {
		in := &c[i]
		bad := func(what string) error { return fmt.Errorf("%w: instruction %d %s", ErrBad, i, what) }
		if joined[i] != 0 && joined[i] != depth+1 {
			return bad("has stacks of two depths")
		}
		pops, pushes := in.effect()
		if pops < 0 {
			return bad("is none")
		}
		if depth < pops {
			return bad("takes more than there is on the stack")
		}
		if depth += pushes - pops; depth > maxStack {
			return bad("needs too large a stack")
		}
		switch in.Op {
		case And, Or:
			if in.Skip == 0 || i+1+in.Skip > len(c) {
				return bad("jumps out of its code")
			}
			to := i + 1 + in.Skip
			if joined[to] != 0 && joined[to] != depth+2 {
				return bad("jumps to another depth")
			}
			joined[to] = depth + 2
		case Value:
			if exit != (in.Root == Result) {
				return bad("reads values that there are not at this time")
			}
			for k, s := range in.Steps {
				if s.Kind == Len && k+1 < len(in.Steps) {
					return bad("goes on behind a length")
				}
			}
		case Duration, Panicked, Failed:
			if !exit {
				return bad("reads what is known at the call's end")
			}
		case Slot:
			if in.Index >= slots {
				return bad("reads a slot that is not there")
			}
		}
	}
	if depth != 1 || joined[len(c)] != 0 && joined[len(c)] != 2 {
		return fmt.Errorf("%w: %d values are left on the stack, want 1", ErrBad, depth)
	}
	return nil
}

// effect returns how many values an instruction takes from the stack, and how many it leaves there
// if it does not jump. pops is negative if there is no such instruction.
func (in *Instruction) effect() (pops, pushes int) {
	switch in.Op {
	case Value, Int, Uint, Float, Text, Bool, Nil, Duration, Goroutine, Panicked, Failed, Slot:
		return 0, 1
	case Compare, Find:
		return 2, 1
	case Not:
		return 1, 1
	case And, Or:
		return 1, 0
	}
	return -1, 0
}
