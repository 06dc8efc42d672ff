// Package displace decides which instructions at the beginning and at the ends of a function can give way
// to a jump, and writes them for another place.
//
//	plan, err := displace.Of(f)
//	for _, exit := range plan.Exits {
//		code = exit.Displaced[0].Moved(0, trampoline)
//	}
//
// What Go's compiler generates is known: a function begins with a check of the stack's room, or sets up a
// frame at once, and each end frees the frame, restores BP and returns. The check itself gives way, so a
// call is never counted twice when the stack grows. Code without a frame is moved if it can't fault: the
// runtime knows no function at the address of a trampoline.
package displace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// Jump is the length of the jump to a trampoline, bytes.
const Jump = 5

// A Place is where a jump is to stand: over the first Jump bytes of the displaced instructions, or of those and
// the bytes behind the function, which are nobody's.
type Place struct {
	Displaced []Instruction
	Exit      bool
	Call      bool // what is displaced is a call, whose return address stays
}

// At returns the address of the jump.
func (p *Place) At() uint64 { return p.Displaced[0].At }

// End returns the address behind the displaced instructions.
func (p *Place) End() uint64 {
	last := &p.Displaced[len(p.Displaced)-1]
	return last.At + uint64(last.Len)
}

// A Plan is how a function can be patched.
type Plan struct {
	Func  *image.Func
	Entry *Place  // nil: it is left as it is
	Check int     // so many of the instructions at the entry are the stack check: the call begins behind it
	Exits []Place // in the order of their addresses; none: the function never returns, or they are left
}

// Each calls do with each place of the plan.
func (p *Plan) Each(do func(*Place)) {
	if p.Entry != nil {
		do(p.Entry)
	}
	for i := range p.Exits {
		do(&p.Exits[i])
	}
}

// Why a function can't be patched.
var (
	ErrAssembly = errors.New("it is written in assembly")
	ErrSP       = errors.New("it moves the stack pointer in ways of its own")
	ErrWrapper  = errors.New("the compiler has made it to call a method")
	ErrRuntime  = errors.New("it is the runtime's")
	ErrChild    = errors.New("it runs between fork and exec")
	ErrTail     = errors.New("it ends by a jump to another function")
	ErrShort    = errors.New("its code has too few bytes that can be moved")
	ErrTarget   = errors.New("its code jumps to where a patch would be")
	ErrRestart  = errors.New("its code has a sequence that the runtime begins anew")
	ErrPage     = errors.New("a patch would cross two pages")
	ErrStack    = errors.New("it doesn't check whether its stack has room")
	ErrMixed    = errors.New("the compiler has mixed its code with that of other lines: name one near by")
	ErrShape    = errors.New("its code isn't as Go's compiler is known to make it")
)

// Of returns how a function can be patched. The error is one of the above, or wraps one.
func Of(f *image.Func) (*Plan, error) {
	if err := refuses(f); err != nil {
		return nil, err
	}
	return plan(f, true, true)
}

// Counted returns how a function can be patched whose calls are only counted: its ends stay as they are.
func Counted(f *image.Func) (*Plan, error) {
	if err := refuses(f); err != nil {
		return nil, err
	}
	return plan(f, true, false)
}

// refuses returns why a function can't be patched, whatever its code; nil: it can be.
func refuses(f *image.Func) error {
	switch {
	case f.Runtime():
		return ErrRuntime
	case f.Assembly():
		return ErrAssembly
	case f.WritesSP():
		return ErrSP
	case f.Wrapper():
		return ErrWrapper
	case f.InChild(), strings.HasPrefix(f.Name, "syscall.RawSyscall"), strings.HasPrefix(f.Name, "syscall.rawSyscall"): // others run while the P may be taken away
		return ErrChild
	}
	return nil
}

// Entry returns how the beginning of any function can be patched, of the runtime's too.
func Entry(f *image.Func) (*Plan, error) { return plan(f, true, false) }

// Exits returns how the ends of any function can be patched, of the runtime's too.
func Exits(f *image.Func) (*Plan, error) { return plan(f, false, true) }

func plan(f *image.Func, entry, exits bool) (*Plan, error) {
	b, err := decode(f)
	if err != nil {
		return nil, err
	}
	p := &Plan{Func: f}
	if err := b.findFrame(); err != nil {
		return nil, fmt.Errorf("at its beginning %w", err)
	}
	if entry {
		if err := b.entry(p); err != nil {
			return nil, fmt.Errorf("at its beginning %w", err)
		}
	}
	if exits {
		if err := b.exits(p); err != nil {
			return nil, fmt.Errorf("at an end %w", err)
		}
	}
	return p, nil
}

// A body is a function, taken apart.
type body struct {
	f        *image.Func
	list     []Instruction
	jumps    map[uint64]int   // to each address within the function
	back     map[uint64]int   // those that come from behind it
	indirect bool             // there are jumps to addresses that the code computes, and nobody knows which
	tables   map[int][]uint64 // addresses to which each jump by a table leads, by the jump's index
	depth    image.Table
	unsafe   image.Table
	spare    int // bytes behind the code that are nobody's
	frame    int // index of PUSHQ BP; -1: there is no frame
}

func decode(f *image.Func) (*body, error) {
	code := f.Code()
	n := len(code)
	for n > 0 && code[n-1] == 0xCC { // INT3 fills what is between functions
		n--
	}
	b := &body{f: f, jumps: make(map[uint64]int), back: make(map[uint64]int), tables: make(map[int][]uint64), depth: f.Depth(), unsafe: f.Unsafe(), spare: len(code) - n, frame: -1}
	b.list = make([]Instruction, 0, n/4)
	for at := 0; at < n; {
		x, err := x86asm.Decode(code[at:n], 64)
		if err != nil || x.Op == x86asm.VZEROUPPER || x.Op == x86asm.VZEROALL { // whose length the decoder gets wrong
			return nil, ErrShape
		}
		b.list = append(b.list, Instruction{x, f.Entry + uint64(at), code[at : at+x.Len]})
		at += x.Len
	}
	if len(b.list) == 0 {
		return nil, ErrShort
	}
	var computed []int
	for i := range b.list {
		x := &b.list[i]
		if !x.jumps() {
			continue
		}
		to, ok := x.target()
		if !ok {
			if depth, _ := b.depth.At(x.At); depth == 0 && x.throughRegister() {
				return nil, ErrTail
			}
			computed = append(computed, i)
			continue
		}
		if to < f.Entry || to >= f.Entry+uint64(n) {
			return nil, ErrTail
		}
		b.noteJump(x.At, to)
	}
	b.indirect = !b.findTables(computed)
	return b, nil
}

func (b *body) noteJump(from, to uint64) {
	b.jumps[to]++
	if to <= from {
		b.back[to]++
	}
}

// index returns the index of the instruction at an address.
func (b *body) index(at uint64) (i int, ok bool) {
	return slices.BinarySearchFunc(b.list, at, func(x Instruction, at uint64) int { return cmp.Compare(x.At, at) })
}

// findFrame finds PUSHQ BP; MOVQ SP, BP, behind the stack check if there is one.
func (b *body) findFrame() error {
	const most = 8 // instructions of the longest check
	for i := 0; i+1 < len(b.list) && i < most; i++ {
		x := &b.list[i]
		if x.is("\x55") && b.list[i+1].is("\x48\x89\xe5") {
			b.frame = i
			break
		}
		if x.Op == x86asm.CALL || x.Op == x86asm.RET {
			break
		}
	}
	switch {
	case b.frame > 0:
		if before := b.list[b.frame-1].Op; before != x86asm.JBE && before != x86asm.JB {
			return ErrShape
		}
		fallthrough
	case b.frame == 0:
		if depth, ok := b.depth.At(b.list[b.frame].At); !ok || depth != 0 {
			return ErrShape
		}
	default:
		for i := 0; i < min(len(b.list), most); i++ {
			if b.list[i].is("\x49\x3b\x66\x10") { // CMPQ SP, 16(R14): a check without a frame behind it
				return ErrShape
			}
		}
	}
	return nil
}

func (b *body) entry(p *Plan) error {
	p.Entry = new(Place)
	n, own := 0, 0 // bytes, and instructions of the prologue itself
	switch {
	case b.frame > 0:
		p.Check = b.frame
		own = b.frame
		// Where there is no room for the call's frame the code behind the function grows the stack and
		// jumps to the entry.
		if b.back[b.f.Entry] > 1 || b.back[b.list[b.frame].At] > 0 {
			return ErrTarget
		}
	case b.back[b.f.Entry] > 0: // each round would count as a call
		return ErrTarget
	case b.frame == 0:
		if own = 2; len(b.list) > 2 && b.list[2].movesSP() {
			own = 3
		}
	}
	for i := range b.list {
		x := &b.list[i]
		if n >= Jump && i >= p.Check {
			break
		}
		if i > 0 && b.jumps[x.At] > 0 {
			return ErrTarget
		}
		if i >= own {
			if err := b.movable(x); err != nil {
				return err
			}
		}
		n += x.Len
		p.Entry.Displaced = b.list[:i+1]
	}
	if n < Jump {
		return ErrShort
	}
	return p.Entry.fits()
}

// movable returns why an instruction that is neither of the prologue nor of an epilogue can't be moved.
func (b *body) movable(x *Instruction) error {
	if b.indirect { // to an address between the moved ones, for all that is known
		return fmt.Errorf("%w, and it has a table of jumps", ErrShort)
	}
	if v, ok := b.unsafe.At(x.At); ok && v <= image.Restarts {
		return ErrRestart
	}
	if !x.movable() {
		return ErrShort
	}
	return nil
}

func (b *body) exits(p *Plan) error {
	taken := b.f.Entry
	if p.Entry != nil {
		taken = p.Entry.End()
	}
	for i := range b.list {
		x := &b.list[i]
		if x.Op != x86asm.RET {
			continue
		}
		if depth, ok := b.depth.At(x.At); !ok || depth != 0 || x.Len != 1 {
			return ErrShape
		}
		first, err := b.epilogue(i)
		if err != nil {
			return err
		}
		room := int(x.At) + 1 - int(b.list[first].At)
		if i == len(b.list)-1 {
			room += b.spare
		}
		for own := first; room < Jump; {
			// What is in front is displaced, too, unless a jump leads to what was first.
			if first == 0 || b.jumps[b.list[first].At] > 0 {
				return ErrShort
			}
			first--
			if y := &b.list[first]; first < own {
				if err := b.movable(y); err != nil {
					return err
				}
			}
			room += b.list[first].Len
		}
		place := Place{Displaced: b.list[first : i+1], Exit: true}
		if place.At() < taken {
			return ErrShort
		}
		if err := place.fits(); err != nil {
			return err
		}
		taken = max(place.End(), place.At()+Jump)
		p.Exits = append(p.Exits, place)
	}
	return nil
}

// epilogue returns the index of the first instruction of the epilogue that ends with the RET of index ret:
// ADDQ SP, POPQ BP and RET, or RET alone where there is no frame.
func (b *body) epilogue(ret int) (first int, err error) {
	if b.frame < 0 {
		return ret, nil
	}
	before := func(i int) int {
		for i--; i > 0 && b.list[i].Op == x86asm.NOP; i-- {
		}
		return i
	}
	first = before(ret)
	if first < 0 || !b.list[first].is("\x5d") {
		return 0, ErrShape
	}
	if i := before(first); i > b.frame && b.list[i].movesSP() {
		first = i
	}
	for i := first + 1; i <= ret; i++ {
		if b.jumps[b.list[i].At] > 0 {
			return 0, ErrTarget
		}
	}
	return first, nil
}

// fits returns an error if the jump would lie in two pages: a kill while it is written could tear it.
func (p *Place) fits() error {
	if at := p.At(); at/image.PageSize != (at+Jump-1)/image.PageSize {
		return ErrPage
	}
	return nil
}
