package condition

// The waymark command copies this file, run.go and relations.go into package runtime, where all
// names at the top level begin with wmCondition. They use nothing but the language, package unsafe,
// and readable, which each of the two packages has.

import "unsafe"

// An op is an operation on a stack of numbers and strings. There is an address, too, which opRoot
// sets and from which offsets count.
type op struct {
	code   uint8
	arg    uint8  // index of a root; a relation, finder or slot; how far below the top of the stack
	rel    uint8  // of opRootInts and opRootUints
	mode   uint8  // of opRootInts and opRootUints: how the number is loaded; of strings: 1 if the top is a constant
	kind   uint8  // of roots: the kind of the type at ref if that is predeclared and an integer's, else 0
	offset uint32 // of a root: its size, bytes; of opAnd and opOr: operations that are skipped
	value  uint64 // a constant, a size, an index
	ref    unsafe.Pointer
}

const (
	opEnd        = iota // the top of the stack is the outcome
	opFail              // the call is rejected
	opRoot              // go to a value, if its type is ref; value is 1 if the interface's word is the value
	opRootInts          // push the outcome of comparing a root, an integer, with value by the relation rel
	opRootUints         // the same for unsigned integers of the largest size
	opDeref             // follow the pointer at offset; value is the size of what it leads to
	opElem              // of the slice at offset, go to the element value>>32 of size value
	opInt8              // push a number at offset
	opInt16             //
	opInt32             //
	opInt64             //
	opUint8             //
	opUint16            //
	opUint32            //
	opUint64            //
	opFloat32           //
	opFloat64           //
	opBool              //
	opWord              // push the word at offset
	opCount             // push what the header has that the pointer at offset leads to: of a map or channel
	opString            // push the string at offset
	opConst             // push value
	opText              // push the string at ref of value bytes
	opDuration          //
	opGoroutine         //
	opPanicked          //
	opSlot              //
	opFromInt           // make a signed number, arg below the top, floating
	opFromUint          //
	opInts              // compare the two at the top by the relation arg
	opUints             //
	opIntUint           // a signed and an unsigned number
	opUintInt           //
	opFloats            //
	opStrings           //
	opIntConst          // compare the top with value
	opUintConst         //
	opFloatConst        //
	opNot               //
	opAnd               // skip if the top is false, else drop it
	opOr                // skip if the top is true, else drop it
	opFind              // whether the string below the top has the top in it
)

const (
	maxStack    = 8
	slotRefused = 32 // see Facts.Slots

	// So much of a string is looked through, bytes. Nothing else runs on the thread meanwhile. Two
	// strings that are longer are not compared.
	maxSearch = 64 << 10
)

// An outcome is what comes of an evaluation.
type outcome uint8

const (
	isFalse outcome = iota
	isTrue
	isOther  // a value has another type than the code is for
	isFailed // a value can't be reached: a nil pointer, an index out of range, memory that can't be read
)

const (
	relLess = 1 << iota
	relEqual
	relGreater
	relUnordered
)

// An eface is an interface's words.
type eface struct{ typ, data unsafe.Pointer }

const wordSize = unsafe.Sizeof(uintptr(0))

const (
	findPrefix = 1
	findSuffix = 2
)

func bits(f float64) uint64 { return *(*uint64)(unsafe.Pointer(&f)) }

func number(v uint64) float64 { return *(*float64)(unsafe.Pointer(&v)) }
