package displace

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// Of the functions of the go command nine of ten can be patched, and all others have a reason.
func TestGo(t *testing.T) {
	program, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		t.Fatal(err)
	}
	if p := os.Getenv("WAYMARK_TEST_IMAGE"); p != "" {
		program = p
	}
	im, err := image.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	reasons := make(map[string]int)
	all, good := 0, 0
	for _, f := range im.Funcs {
		if f.Runtime() || f.Wrapper() || f.Assembly() {
			continue
		}
		all++
		p, err := Of(f)
		if err != nil {
			reasons[err.Error()]++
			continue
		}
		good++
		end := f.Entry
		p.Each(func(place *Place) {
			if place.At() < end || place.End() > f.End || place.At()+Jump > f.End {
				t.Errorf("%s: places overlap, or leave the function", f.Name)
			}
			end = max(place.End(), place.At()+Jump)
			for i := range place.Displaced {
				checkMoved(t, f.Name, &place.Displaced[i])
			}
		})
	}
	t.Logf("%d of %d functions; others: %v", good, all, reasons)
	if share := float64(good) / float64(all); share < 0.86 {
		t.Errorf("%.1f %% of the functions can be patched, want 86 at least", 100*share)
	}
}

// checkMoved checks that an instruction does the same elsewhere: another decoder's view of it is that of the original, but
// for distances, which lead to the same addresses.
func checkMoved(t *testing.T, function string, x *Instruction) {
	const bias, to = 1 << 30, 1<<30 + 1<<28
	b := x.Moved(bias, to)
	y, err := x86asm.Decode(b, 64)
	if err != nil || y.Len != len(b) || y.Op != x.Op {
		t.Errorf("%s: %v is moved as %v, %v", function, x.Inst, y, err)
		return
	}
	for i := range x.Args {
		switch a := x.Args[i].(type) {
		case x86asm.Rel:
			if r, ok := y.Args[i].(x86asm.Rel); !ok || to+uint64(y.Len)+uint64(int64(r)) != x.At+bias+uint64(x.Len)+uint64(int64(a)) {
				t.Errorf("%s: %v leads elsewhere as %v", function, x.Inst, y)
			}
		case x86asm.Mem:
			m, _ := y.Args[i].(x86asm.Mem)
			if a.Base == x86asm.RIP {
				if to+uint64(y.Len)+uint64(int64(int32(m.Disp))) != x.At+bias+uint64(x.Len)+uint64(int64(int32(a.Disp))) {
					t.Errorf("%s: %v has other memory as %v", function, x.Inst, y)
				}
				m.Disp = a.Disp
			}
			if m != a {
				t.Errorf("%s: %v has other memory as %v", function, x.Inst, y)
			}
		default:
			if y.Args[i] != a {
				t.Errorf("%s: %v is moved as %v", function, x.Inst, y)
			}
		}
	}
}
