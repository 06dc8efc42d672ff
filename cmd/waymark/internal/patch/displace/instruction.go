package displace

import (
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// An Instruction of a function.
type Instruction struct {
	x86asm.Inst
	At    uint64 // its address in the file
	Bytes []byte
}

func (x *Instruction) is(bytes string) bool { return string(x.Bytes) == bytes }

// conditional are the jumps that depend on flags, and those that depend on RCX.
var conditional = []x86asm.Op{x86asm.JA, x86asm.JAE, x86asm.JB, x86asm.JBE, x86asm.JE, x86asm.JG, x86asm.JGE, x86asm.JL, x86asm.JLE,
	x86asm.JNE, x86asm.JNO, x86asm.JNP, x86asm.JNS, x86asm.JO, x86asm.JP, x86asm.JS}

var loops = []x86asm.Op{x86asm.JCXZ, x86asm.JECXZ, x86asm.JRCXZ, x86asm.LOOP, x86asm.LOOPE, x86asm.LOOPNE}

func (x *Instruction) jumps() bool {
	return x.Op == x86asm.JMP || slices.Contains(conditional, x.Op) || slices.Contains(loops, x.Op)
}

// target returns where a jump leads; ok is false if the code computes it.
func (x *Instruction) target() (to uint64, ok bool) {
	rel, ok := x.Args[0].(x86asm.Rel)
	return x.At + uint64(x.Len) + uint64(int64(rel)), ok
}

func (x *Instruction) throughRegister() bool {
	_, ok := x.Args[0].(x86asm.Reg)
	return ok
}

// movesSP reports whether the instruction adds a constant to the stack pointer.
func (x *Instruction) movesSP() bool {
	if x.Op != x86asm.ADD && x.Op != x86asm.SUB || x.Args[0] != x86asm.RSP {
		return false
	}
	_, ok := x.Args[1].(x86asm.Imm)
	return ok
}

// keeps reports whether the instruction moves a register to the stack or back.
func (x *Instruction) keeps() bool {
	memory, register := x.Args[0], x.Args[1]
	if _, ok := memory.(x86asm.Reg); ok {
		memory, register = register, memory
	}
	m, ok := memory.(x86asm.Mem)
	_, is := register.(x86asm.Reg)
	return ok && is && m.Base == x86asm.RSP && m.Index == 0 && strings.HasPrefix(x.Op.String(), "MOV")
}

// fixed are instructions that aren't moved: they may fault, use the stack pointer, or lead away.
var fixed = []x86asm.Op{x86asm.CALL, x86asm.RET, x86asm.DIV, x86asm.IDIV, x86asm.INT, x86asm.UD2, x86asm.SYSCALL, x86asm.PUSH, x86asm.POP,
	x86asm.CLD, x86asm.STD, x86asm.HLT, x86asm.LEAVE}

// movable reports whether an instruction of a function's body does the same elsewhere, and can't fault.
func (x *Instruction) movable() bool {
	if slices.Contains(fixed, x.Op) || slices.Contains(loops, x.Op) {
		return false
	}
	if x.jumps() {
		_, ok := x.target()
		return ok
	}
	for _, p := range x.Prefix {
		switch p &^ 0xFF00 { // without what the decoder notes of it
		case 0x64, 0x65: // FS, GS: thread-local memory
			return false
		case 0xF2, 0xF3:
			if p&x86asm.PrefixImplicit == 0 && stringOp(x.Op) { // REP
				return false
			}
		}
		if p == 0 {
			break
		}
	}
	for _, a := range x.Args {
		switch a := a.(type) {
		case x86asm.Mem:
			pointsAtCode := a.Base == x86asm.RIP && x.PCRel == 4
			switch {
			case a.Base == x86asm.RIP && !pointsAtCode, a.Segment != 0:
				return false
			case x.Op == x86asm.LEA, x.Op == x86asm.NOP, pointsAtCode:
			case a.Base == x86asm.RSP && a.Index == 0: // the stack is there
			default:
				return false
			}
		case x86asm.Reg:
			if a == x86asm.RSP && x.Op != x86asm.LEA || a == x86asm.RBP {
				return false
			}
		}
	}
	return true
}

func stringOp(op x86asm.Op) bool {
	name := op.String()
	return strings.HasPrefix(name, "MOVS") && len(name) == 5 || strings.HasPrefix(name, "STOS") || strings.HasPrefix(name, "SCAS") ||
		strings.HasPrefix(name, "CMPS") && len(name) == 5 || strings.HasPrefix(name, "LODS")
}

// Moved returns the instruction's bytes for the address to in a process whose addresses are those of the
// file and bias more. Jumps are written with distances of four bytes. A call becomes a jump: its return address is there
// already.
func (x *Instruction) Moved(bias, to uint64) []byte {
	if x.jumps() || x.Op == x86asm.CALL {
		target, _ := x.target()
		code := []byte{0xE9}
		if x.jumps() && x.Op != x86asm.JMP {
			code = []byte{0x0F, 0x80 | x.Bytes[0]&0x0F}
			if x.Bytes[0] == 0x0F {
				code[1] = x.Bytes[1]
			}
		}
		return append(code, distance(to+uint64(len(code))+4, target+bias)...)
	}
	b := slices.Clone(x.Bytes)
	if x.PCRel == 4 {
		next := x.At + bias + uint64(x.Len)
		target := next + uint64(int64(int32(binary.LittleEndian.Uint32(b[x.PCRelOff:]))))
		copy(b[x.PCRelOff:], distance(to+uint64(x.Len), target))
	}
	return b
}

// distance returns the distance from an address to another one, as instructions have it.
func distance(from, to uint64) []byte {
	d := int64(to - from)
	if d != int64(int32(d)) {
		panic("displace: an address is too far away")
	}
	return binary.LittleEndian.AppendUint32(nil, uint32(d))
}
