package displace

import (
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// Line returns how a function can be patched where a statement begins: there, or further on in code that runs whenever the
// statement does, unless it fails before. The plan's only place is its Entry. Where the code calls a function directly, the call's own five bytes
// give way to a call of the trampoline.
func Line(f *image.Func, pc uint64) (*Plan, error) {
	if err := refuses(f); err != nil {
		return nil, err
	}
	if strings.HasPrefix(f.Name, "syscall.Syscall") { // the P may be taken away between its calls of the runtime
		return nil, ErrChild
	}
	b, err := decode(f)
	if err == nil {
		err = b.findFrame()
	}
	if err != nil {
		return nil, err
	}
	i := 0
	// A function that doesn't check its stack has what its callers have left: a trampoline needs some of that, too.
	const most = 128
	if depth, ok := b.depth.At(pc); b.frame <= 0 && ok && depth > most {
		return nil, ErrStack
	}
	for b.frame >= 0 && i <= b.frame+1 { // behind the stack check and what sets up the frame, which may run twice
		i++
	}
	if b.frame >= 0 && i < len(b.list) && b.list[i].movesSP() {
		i++
	}
	for i < len(b.list) && b.list[i].At < pc {
		i++
	}
	for ; i < len(b.list); i++ {
		if at := b.list[i].At; at != pc && b.jumps[at] > 0 { // others come here, too
			return nil, ErrTarget
		}
		place, err := b.at(i)
		if err == nil {
			return &Plan{Func: f, Entry: place}, nil
		}
		if x := &b.list[i]; x.jumps() || x.Op == x86asm.RET || x.Op == x86asm.CALL || x.Op == x86asm.UD2 {
			return nil, err
		}
	}
	return nil, ErrShort
}

// at returns the place whose jump stands over the instruction of an index.
func (b *body) at(i int) (*Place, error) {
	place := &Place{Displaced: b.list[i : i+1]}
	if x := &b.list[i]; x.Op == x86asm.CALL && x.Len == Jump && x.PCRel == 4 {
		// Up to Go 1.25 the frame pointer lies below the stack pointer while memory is set or copied.
		// The runtime itself goes on at a call of deferreturn after it has recovered.
		if to, _ := x.target(); b.calls(to, []string{"runtime.duff", "runtime.deferreturn"}) {
			return nil, ErrShort
		}
		place.Call = true
		return place, place.fits()
	}
	if b.indirect {
		return nil, ErrShort
	}
	end, epilogue := b.end(i)
	n := 0
	for j := i; n < Jump || j < end; j++ {
		if j == len(b.list) {
			return nil, ErrShort
		}
		x := &b.list[j]
		if j > i && b.jumps[x.At] > 0 {
			return nil, ErrTarget
		}
		if j < epilogue || j >= end {
			if err := b.movable(x); err != nil {
				return nil, err
			}
		}
		n += x.Len
		if place.Displaced = b.list[i : j+1]; x.Op == x86asm.RET {
			if j == len(b.list)-1 {
				n += b.spare
			}
			if n < Jump {
				return nil, ErrShort
			}
			break
		}
		if x.Op == x86asm.JMP && n < Jump {
			return nil, ErrShort
		}
	}
	return place, place.fits()
}

// end returns the indexes of the first instruction of the epilogue that stands next behind an instruction, and of that
// behind its return, if a place there would take it: it is moved as a whole. Both are 0 if there is none so near.
func (b *body) end(i int) (end, epilogue int) {
	for j, n := i, 0; j < len(b.list) && n < Jump; j++ {
		n += b.list[j].Len
		for ret := j; ret < len(b.list) && ret < j+4; ret++ {
			if b.list[ret].Op != x86asm.RET || b.list[ret].Len != 1 {
				continue
			}
			if first, err := b.epilogue(ret); err == nil && first <= j && first >= i {
				return ret + 1, first
			}
		}
	}
	return 0, 0
}
