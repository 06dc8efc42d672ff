package displace

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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
		})
	}
	t.Logf("%d of %d functions; others: %v", good, all, reasons)
	if share := float64(good) / float64(all); share < 0.86 {
		t.Errorf("%.1f %% of the functions can be patched, want 86 at least", 100*share)
	}
}
