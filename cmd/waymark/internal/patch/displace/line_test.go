package displace

import (
	"debug/dwarf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// Most lines of gofmt can be watched: where their code begins, or further on.
func TestLines(t *testing.T) {
	program := filepath.Join(t.TempDir(), "gofmt")
	build := exec.Command("go", "build", "-o", program, "cmd/gofmt") // the go command itself has no DWARF
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	im, err := image.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	data, err := im.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		f    *image.Func
		file string
		n    int
	}
	parts, code := make(map[line][]uint64), make(map[line][]image.Range)
	for r := data.Reader(); ; r.SkipChildren() {
		unit, err := r.Next()
		if err != nil || unit == nil {
			break
		}
		lines, err := data.LineReader(unit)
		if err != nil || lines == nil {
			continue
		}
		var last line
		var low uint64
		for e := (dwarf.LineEntry{}); lines.Next(&e) == nil; {
			if last.f != nil {
				code[last] = append(code[last], image.Range{Low: low, High: e.Address})
			}
			last = line{}
			if f := im.At(e.Address); !e.EndSequence && f != nil && refuses(f) == nil {
				last, low = line{f, e.File.Name, e.Line}, e.Address
				if e.IsStmt {
					parts[last] = append(parts[last], e.Address)
				}
			}
		}
	}
	good, reasons := 0, make(map[string]int)
	for l, list := range parts {
		starts, err := Starts(l.f, list, code[l])
		for _, pc := range starts {
			if _, err = Line(l.f, pc); err != nil {
				break
			}
		}
		if err == nil {
			good++
		} else {
			reasons[err.Error()]++
		}
	}
	t.Logf("%d of %d lines; others: %v", good, len(parts), reasons)
	if share := float64(good) / float64(len(parts)); share < 0.91 {
		t.Errorf("%.1f %% of the lines can be watched, want 91 at least", 100*share)
	}
}
