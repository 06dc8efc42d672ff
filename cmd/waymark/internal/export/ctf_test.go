package export

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/ctf"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
)

// A ctfReader reads what the description says, without looking at it; babeltrace2 does.
type ctfReader struct {
	t    *testing.T
	data []byte
}

func (r *ctfReader) u32() (n uint32) {
	n, r.data = binary.LittleEndian.Uint32(r.data), r.data[4:]
	return n
}

func (r *ctfReader) u64() (n int64) {
	n, r.data = int64(binary.LittleEndian.Uint64(r.data)), r.data[8:]
	return n
}

func (r *ctfReader) text() string {
	text, rest, ok := bytes.Cut(r.data, []byte{0})
	if !ok {
		r.t.Fatal("a string has no end")
	}
	r.data = rest
	return string(text)
}

func readCTF(t *testing.T, data []byte, e *ends) map[string]sums {
	out := make(map[string]sums)
	names := make(map[uint32]string)
	stacks := make(map[string][]uint32)
	for last := int64(0); len(data) > 0; {
		r := &ctfReader{t, data}
		if magic, stream := r.u32(), r.u32(); magic != 0xc1fc1fc1 || stream != 0 {
			t.Fatalf("a packet begins with %#x, %d", magic, stream)
		}
		first, end, bits, size := r.u64(), r.u64(), r.u64(), r.u64()
		if first < last || end < first || bits != size {
			t.Fatalf("a packet from %d to %d follows %d; %d of %d bits", first, end, last, bits, size)
		}
		r.data, data = r.data[:size/8-40], data[size/8:]
		for len(r.data) > 0 {
			class := r.data[0]
			r.data = r.data[1:]
			at := r.u64()
			if at < last || at < first || at > end {
				t.Fatalf("an event at %d follows %d, in a packet from %d to %d", at, last, first, end)
			}
			last = at
			pid, goroutine := r.u32(), r.u64()
			thread := fmt.Sprint(pid, goroutine)
			called := func() uint32 {
				r.u64()
				r.u64()
				f := r.u32()
				r.text()
				return f
			}
			ended := func(f uint32) {
				recursive := slices.Contains(stacks[thread], f)
				sum := out[names[f]]
				sum.calls++
				duration := r.u64()
				if !recursive {
					sum.total += duration
				}
				sum.self += r.u64()
				out[names[f]] = sum
				r.data = r.data[16:]
				e.call(uint64(goroutine), names[f], strings.Fields(r.text())...)
				r.text()
				r.text()
			}
			switch class {
			case 0:
				number := r.u32()
				names[number] = seen(r.text())
				r.text()
				r.text()
				r.u32()
			case 1:
				e.start(uint64(goroutine), uint64(r.u64()))
				r.text()
				r.text()
				r.u32()
			case 2:
				stacks[thread] = append(stacks[thread], called())
			case 3:
				r.u64()
				f, open := r.u32(), stacks[thread]
				if len(open) == 0 || open[len(open)-1] != f {
					t.Fatalf("%d ends in %v", f, open)
				}
				stacks[thread] = open[:len(open)-1]
				ended(f)
			case 4:
				ended(called())
			default:
				t.Fatalf("class %d", class)
			}
		}
	}
	return out
}

// babeltrace2 reads what was written, names functions, and adds up to the report's numbers.
func TestBabeltrace(t *testing.T) {
	babeltrace, err := exec.LookPath("babeltrace2")
	if err != nil {
		t.Skip("babeltrace2 is not installed")
	}
	for processes := 1; processes <= 2; processes++ {
		dir := t.TempDir()
		set := recordAll(t, events(), processes)
		var b bytes.Buffer
		o := Options{Beside: func(name string, data []byte) error { return os.WriteFile(filepath.Join(dir, name), data, 0o666) }}
		if _, err := writeCTF(&b, set, &recording.Filter{}, o); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ctf.Stream), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(babeltrace, "--names", "all", dir).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		ended := regexp.MustCompile(`(?m) name = (?:end|counted), .*function = \( "((?:[^"\\]|\\.)*)" : container = \d+ \).* duration_ns = (\d+), self_ns = (\d+),`)
		got := make(map[string]sums)
		for _, m := range ended.FindAllStringSubmatch(string(out), -1) {
			self, _ := strconv.ParseInt(m[3], 10, 64)
			s := got[m[1]]
			s.calls++
			s.self += self
			got[m[1]] = s
		}
		want := reported(t, recordAll(t, events(), processes), recording.Filter{})
		for name, w := range want {
			if name == seen(hostile) {
				continue // whose escapes are babeltrace's
			}
			if g := got[name]; g.calls != w.calls || g.self != w.self {
				t.Errorf("%d processes, %s: %+v, want %+v", processes, name, g, w)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d functions, want %d:\n%.2000s", len(got), len(want), out)
		}
		if !strings.Contains(string(out), "name = goroutine_start, ") {
			t.Errorf("no goroutine is started:\n%.2000s", out)
		}
	}
}
