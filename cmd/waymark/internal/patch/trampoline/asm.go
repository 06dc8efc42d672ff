package trampoline

import (
	"encoding/binary"
	"fmt"
)

// A reg is a register, by its number in instructions.
type reg uint8

const (
	rax reg = iota
	rcx
	rdx
	rbx
	rsp
	rbp
	rsi
	rdi
	r8
	r9
	r10
	r11
	r12
	r13
	r14
	r15
)

// A mem is memory: at a register and a distance, or at an address near the code.
type mem struct {
	base    reg
	disp    int32
	index   reg // times eight, if scaled
	scaled  bool
	address uint64 // not 0: this, and nothing else
}

func at(base reg, disp int) mem { return mem{base: base, disp: int32(disp)} }

func near(address uint64) mem { return mem{address: address} }

// Conditions of jumps, as in their last byte.
const (
	below      = 0x82
	aboveEqual = 0x83
	equal      = 0x84
	notEqual   = 0x85
	above      = 0x87
	always     = 0
)

// A code is machine code that is to lie at an address.
type code struct {
	b    []byte
	base uint64
}

func (c *code) pc() uint64 { return c.base + uint64(len(c.b)) }

func (c *code) emit(b ...byte) { c.b = append(c.b, b...) }

func (c *code) imm32(v uint32) { c.b = binary.LittleEndian.AppendUint32(c.b, v) }

// Sizes of operands: bits of the prefix REX.
const (
	long  = 0
	quad  = 8
	extra = 0x40
)

// op emits an instruction with a register, or a part of the operation's code, and memory. tail is how many bytes of
// an immediate value follow.
func (c *code) op(size byte, opcode uint16, r reg, m mem, tail int) {
	rex := extra | size | byte(r>>3)<<2 | byte(m.base>>3)
	if m.scaled {
		rex |= byte(m.index>>3) << 1
	}
	if m.address != 0 {
		rex &^= 1
	}
	c.emit(rex)
	if opcode > 0xFF {
		c.emit(byte(opcode >> 8))
	}
	c.emit(byte(opcode))
	field := byte(r&7) << 3
	switch {
	case m.address != 0:
		c.emit(field | 5)
		c.imm32(c.distance(m.address, 4+tail))
	case m.scaled || m.base&7 == rsp:
		index := byte(rsp)
		scale := byte(0)
		if m.scaled {
			index, scale = byte(m.index&7), 3
		}
		c.emit(field|0x84, scale<<6|index<<3|byte(m.base&7))
		c.imm32(uint32(m.disp))
	default:
		c.emit(field | 0x80 | byte(m.base&7))
		c.imm32(uint32(m.disp))
	}
}

// distance returns that from behind the next n bytes to an address.
func (c *code) distance(to uint64, n int) uint32 {
	d := int64(to) - int64(c.pc()) - int64(n)
	if d != int64(int32(d)) {
		panic(fmt.Sprintf("trampoline: %#x is too far from %#x", to, c.pc()))
	}
	return uint32(d)
}

func (c *code) load(r reg, m mem)   { c.op(quad, 0x8B, r, m, 0) }
func (c *code) load32(r reg, m mem) { c.op(long, 0x8B, r, m, 0) }
func (c *code) store(m mem, r reg)  { c.op(quad, 0x89, r, m, 0) }
func (c *code) store32(m mem, r reg) {
	c.op(long, 0x89, r, m, 0)
}
func (c *code) lea(r reg, m mem)     { c.op(quad, 0x8D, r, m, 0) }
func (c *code) compare(r reg, m mem) { c.op(quad, 0x3B, r, m, 0) }

// set stores a constant, sign-extended from 32 bits.
func (c *code) set(m mem, v uint32) {
	c.op(quad, 0xC7, 0, m, 4)
	c.imm32(v)
}

func (c *code) set32(m mem, v uint32) {
	c.op(long, 0xC7, 0, m, 4)
	c.imm32(v)
}

// increment adds one to a counter that others may add to, too.
func (c *code) increment(m mem) {
	c.emit(0xF0)
	c.op(quad, 0xFF, 0, m, 0)
}

// exchange stores a register where rax is, for all processors at once; else it sets rax to what is there.
func (c *code) exchange(m mem, r reg) {
	c.emit(0xF0)
	c.op(quad, 0x0FB1, r, m, 0)
}

// countUp adds one to a counter that is this thread's alone.
func (c *code) countUp(m mem) { c.op(quad, 0xFF, 0, m, 0) }

// both emits an instruction of two registers.
func (c *code) both(size, opcode byte, r, rm reg) {
	c.emit(extra|size|byte(r>>3)<<2|byte(rm>>3), opcode, 0xC0|byte(r&7)<<3|byte(rm&7))
}

func (c *code) move(to, from reg)    { c.both(quad, 0x89, from, to) }
func (c *code) compareTo(r, to reg)  { c.both(quad, 0x39, to, r) }
func (c *code) test(r reg)           { c.both(quad, 0x85, r, r) }
func (c *code) add(to, r reg)        { c.both(quad, 0x01, r, to) }
func (c *code) sub32(to, r reg)      { c.both(long, 0x29, r, to) }
func (c *code) sub(to, r reg)        { c.both(quad, 0x29, r, to) }
func (c *code) or(to, r reg)         { c.both(quad, 0x09, r, to) }
func (c *code) clear(r reg)          { c.both(long, 0x31, r, r) }
func (c *code) addTo(r reg, v int32) { c.constant(quad, 0, r, v) }
func (c *code) and(r reg, v int32)   { c.constant(quad, 4, r, v) }
func (c *code) and32(r reg, v int32) { c.constant(long, 4, r, v) }
func (c *code) compare32(r reg, v int32) {
	c.constant(long, 7, r, v)
}

// constant emits an instruction of a register and a constant.
func (c *code) constant(size byte, operation byte, r reg, v int32) {
	if v == int32(int8(v)) {
		c.emit(extra|size|byte(r>>3), 0x83, 0xC0|operation<<3|byte(r&7), byte(v))
		return
	}
	c.emit(extra|size|byte(r>>3), 0x81, 0xC0|operation<<3|byte(r&7))
	c.imm32(uint32(v))
}

func (c *code) shift32(r reg, n byte) { c.emit(extra|byte(r>>3), 0xC1, 0xE0|byte(r&7), n) }
func (c *code) shift(r reg, n byte)   { c.emit(extra|quad|byte(r>>3), 0xC1, 0xE0|byte(r&7), n) }

func (c *code) shiftRight(r reg, n byte) { c.emit(extra|quad|byte(r>>3), 0xC1, 0xE8|byte(r&7), n) }

// multiply multiplies a register by a constant.
func (c *code) multiply(r reg, v int32) {
	c.both(quad, 0x69, r, r)
	c.imm32(uint32(v))
}

// storePart stores the lowest bytes of a register: 1, 2, 4 or 8.
func (c *code) storePart(m mem, r reg, size int) {
	switch size {
	case 1:
		c.op(long, 0x88, r, m, 0)
	case 2:
		c.emit(0x66)
		c.op(long, 0x89, r, m, 0)
	case 4:
		c.store32(m, r)
	default:
		c.store(m, r)
	}
}

// storeFloat stores a floating-point register as a number of 4 or 8 bytes.
func (c *code) storeFloat(m mem, number, size int) {
	prefix := byte(0xF3)
	if size == 8 {
		prefix = 0xF2
	}
	c.emit(prefix, extra|byte(number>>3)<<2|byte(m.base>>3), 0x0F, 0x11, 0x80|byte(number&7)<<3|byte(m.base&7))
	if m.base&7 == rsp {
		panic("trampoline: no such memory") // it would want one byte more
	}
	c.imm32(uint32(m.disp))
}

// compareConstant compares memory with a constant, compare32Constant its lowest 32 bits.
func (c *code) compareConstant(m mem, v int32) {
	c.op(quad, 0x81, 7, m, 4)
	c.imm32(uint32(v))
}

func (c *code) compare32Constant(m mem, v int32) {
	c.op(long, 0x81, 7, m, 4)
	c.imm32(uint32(v))
}

// addConstant adds a constant to memory.
func (c *code) addConstant(m mem, v int32) {
	c.op(quad, 0x81, 0, m, 4)
	c.imm32(uint32(v))
}

// constant32 sets a register to a constant without a sign.
func (c *code) constant32(r reg, v uint32) {
	c.emit(extra|byte(r>>3), 0xB8|byte(r&7))
	c.imm32(v)
}

// loadByte sets a register to a byte.
func (c *code) loadByte(r reg, m mem) { c.op(long, 0x0FB6, r, m, 0) }

// word sets a register to a constant of 64 bits.
func (c *code) word(r reg, v uint64) {
	c.emit(extra|quad|byte(r>>3), 0xB8|byte(r&7))
	c.b = binary.LittleEndian.AppendUint64(c.b, v)
}

// clock reads the processor's counter into rax. It overwrites rdx.
func (c *code) clock() {
	c.emit(0x0F, 0x31)
	c.shift(rdx, 32)
	c.or(rax, rdx)
}

// saveFlags sets rax to the flags of arithmetic, restoreFlags sets them to what it has.
func (c *code) saveFlags() {
	c.emit(0x9F, 0x0F, 0x90, 0xC0) // LAHF; SETO AL
}

func (c *code) restoreFlags() {
	c.emit(0x04, 0x7F, 0x9E) // ADDB $127, AL, which overflows where AL is 1; SAHF
}

// jump jumps to an address.
func (c *code) jump(condition byte, to uint64) {
	if condition == always {
		c.emit(0xE9)
	} else {
		c.emit(0x0F, condition)
	}
	c.imm32(c.distance(to, 4))
}

// A hole is a jump whose target is not known yet.
type hole int

// ahead jumps to where land is called with the hole.
func (c *code) ahead(condition byte) hole {
	c.jump(condition, c.pc())
	return hole(len(c.b))
}

func (c *code) land(h hole) {
	binary.LittleEndian.PutUint32(c.b[h-4:], uint32(len(c.b)-int(h)))
}

// jumpTo jumps to the address in a register.
func (c *code) jumpTo(r reg) { c.emit(extra|byte(r>>3), 0xFF, 0xE0|byte(r&7)) }

func (c *code) align() {
	for len(c.b)%16 != 0 {
		c.emit(0xCC)
	}
}
