package condition

// Version is the first byte of an encoded program.
const Version = 1

// What a program may have at most.
const (
	MaxBytes        = 8 << 10 // encoded
	MaxInstructions = 128     // of a code
	MaxSteps        = 16      // of a value
	MaxSlots        = 8
	MaxIndex        = 1 << 20 // of arguments, results and elements
	MaxString       = 1 << 10
)

// A Program is a condition on calls. Decode returns it verified.
type Program struct {
	Text  string // as the user wrote it
	Enter Code   // empty: true
	Slots []Code // decided with Enter, for Exit
	Exit  Code   // empty: nothing is left to decide where the call ends
}

// AtEnter reports whether the call is accepted or rejected where it begins.
func (p *Program) AtEnter() bool { return len(p.Exit) == 0 }

// Reads reports whether the condition reads arguments, and whether it reads results.
func (p *Program) Reads() (args, results bool) {
	for _, c := range append([]Code{p.Enter, p.Exit}, p.Slots...) {
		for i := range c {
			args = args || c[i].Op == Value && c[i].Root == Arg
			results = results || c[i].Op == Value && c[i].Root == Result || c[i].Op == Failed
		}
	}
	return args, results
}

// A Code is a list of instructions, which leave one boolean on the stack.
type Code []Instruction

// ComparesNil reports whether the value that instruction i reads is compared with nil.
func (c Code) ComparesNil(i int) bool {
	return i+2 < len(c) && c[i+1].Op == Nil && c[i+2].Op == Compare ||
		i > 0 && i+1 < len(c) && c[i-1].Op == Nil && c[i+1].Op == Compare
}

// An Instruction is one of a Code.
type Instruction struct {
	Op    Opcode
	Root  Root     // of a Value
	Name  string   // of a Value; empty: Index counts
	Index int      // of a Value; the number of a Slot
	Steps []Step   // of a Value
	Bits  uint64   // of an Int, Uint, Float, Bool
	Text  string   // of a Text
	Skip  int      // of And and Or
	Rel   Relation // of a Compare
	Find  Finder   // of a Find
}

// An Opcode says what an instruction does.
type Opcode uint8

const (
	Value Opcode = iota + 1
	Int
	Uint
	Float
	Text
	Bool
	Nil
	Duration
	Goroutine
	Panicked
	Failed
	Slot
	Compare
	Not
	And
	Or
	Find
)

// A Root says what a value is found in.
type Root uint8

const (
	Arg Root = iota
	Result
)

// A Step leads from a value to a part of it.
type Step struct {
	Kind  StepKind
	Name  string // of a Field
	Index int    // of an Elem
}

// A StepKind says what a step does.
type StepKind uint8

const (
	Field StepKind = iota + 1
	Elem
	Deref
	Len
)

// A Relation is a union of the outcomes of a comparison for which it holds.
type Relation uint8

const (
	Less Relation = 1 << iota
	Equal
	Greater
	Unordered // one is not a number
)

// Swapped returns the relation for operands in the other order.
func (r Relation) Swapped() Relation {
	return r&(Equal|Unordered) | r&Less<<2 | r&Greater>>2
}

// A Finder says where a string is looked for in another one.
type Finder uint8

const (
	Contains Finder = iota
	Prefix
	Suffix
)
