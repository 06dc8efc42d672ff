// Package condition has conditions on calls: programs that decide which calls an observer is told of.
//
//	p, err := condition.Decode(encoded)   // verifies
//	f := condition.NewFilter(p, function) // for the calls of a function
//	slots, ok := f.Enter(arguments)       // where a call begins
//	ok = f.Exit(results, facts, returned) // where it ends, unless f.AtEnter()
//
// The waymark command compiles what the user writes (docs/conditions.md) and sends it encoded. The
// traced program has no parser. An encoded program is symbolic: it names arguments and fields, and
// says nothing of sizes and offsets. Bind finds these from the types that the call's values have in
// this program. So no sender can have the program read what is not part of a value.
//
// # Format
//
// Numbers are varints as in encoding/binary, unsigned if nothing else is said. A string is its
// length and its bytes.
//
//	version   byte, 1
//	text      string: what the user wrote, for lists and errors
//	enter     code, decided where the call begins; empty: true
//	slots     number, then as many codes, whose bits are kept until the call ends
//	exit      code, decided where the call ends; empty: the call is accepted where it begins
//
// A code is the number of its instructions and the instructions. Each is a byte and operands:
//
//	Value     root (0 argument, 1 result), selector (0 index, 1 name), index or name,
//	          number of steps, steps
//	Int       signed number
//	Uint      number
//	Float     8 bytes, little-endian
//	Text      string
//	Bool      0 or 1
//	Nil
//	Duration  how long the call took, in ns
//	Goroutine the id of the goroutine
//	Panicked  a panic has begun in the call, or has left it
//	Failed    the last result is an error that is not nil
//	Slot      number of a slot
//	Compare   a union of Less, Equal, Greater, Unordered
//	Not
//	And, Or   number of instructions that are skipped if the top of the stack is false, true
//	Find      Contains, Prefix or Suffix
//
// A step is a byte and its operand: Field and its name, Elem and an index, Deref, Len. Field and Elem
// follow a pointer that is before them.
//
// Decode verifies the size, the number of instructions, steps and slots, and the depth of the stack
// at each instruction. It verifies that no jump goes back or leaves its code, and that codes use
// what exists where they are decided. Bind checks types.
//
// # Evaluation
//
// A filter binds its codes when it meets a combination of types, and keeps up to 16 of each. Bound
// codes are operations with offsets (ops.go). Function run works on copies of nothing: it goes from
// the arguments' and results' places, and reads a number or a string's header. The command copies
// its files into package runtime, where they run on the system stack. The goroutine's stack, to
// which arguments may point, does not move meanwhile, and no collection ends. Before run follows a
// pointer it asks whether that leads to memory of the program. Types only tell what is asked for. A
// value that is read may be of another type if other goroutines change it at this moment. It comes
// from memory that can be read all the same. A nil pointer, an index out of range and memory that
// can't be read reject the call.
package condition
