package endtoend

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

var billion = flag.Bool("billion", false, "read a recording of a billion events (takes 2 GB of disk)")

// TestReadersMemory checks the memory of the commands that read. They keep no more of a long
// recording than of a short one, but for the index of its blocks.
func TestReadersMemory(t *testing.T) {
	short, long, limit := 2_000_000, 12_000_000, 0
	if *billion {
		long, limit = 1_000_000_000, 200<<20
	}
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "short.wmt"), filepath.Join(dir, "long.wmt")}
	writeCalls(t, files[0], short, 1)
	blocks := writeCalls(t, files[1], long, 1)
	// A replay of all calls would take long and prove no more.
	for _, args := range []string{"report", "tree", "info", "replay --min 1h", "export --to pprof -o /dev/null"} {
		few, many := peak(t, args, files[0]), peak(t, args, files[1])
		t.Logf("%s: %d MB, %d MB for %d million events", args, few>>20, many>>20, long/1_000_000)
		if most := few + 16<<20 + blocks*128; many > most {
			t.Errorf("%s: %d MB for %d events, want at most %d MB: %d MB are for %d events", args, many>>20, long, most>>20, few>>20, short)
		}
		if limit > 0 && many > limit {
			t.Errorf("%s: %d MB for %d events, want at most %d MB", args, many>>20, long, limit>>20)
		}
	}
}

// writeCalls writes a recording of goroutines on four Ps that make that many events. One event
// takes 25 ns times slower. writeCalls returns the number of the recording's blocks.
func writeCalls(t *testing.T, path string, events int, slower uint64) (blocks int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const (
		streams, depth = 4, 8
		perBlock       = 4000
		start          = 1 << 40
	)
	w := tracetest.New(tracetest.Clock{Hz: 1e9, Start: start, Unix: 1_700_000_000_000_000_000, Mono: 1})
	var sites []format.Site
	for i := range 50 {
		sites = append(sites, format.Site{Name: fmt.Sprintf("main.f%d", i), File: "/src/main.go", Line: i + 1})
	}
	w.Sites(1, "main", sites)
	clock := uint64(start)
	recs := make([]format.Record, perBlock)
	for ; events > 0; events -= perBlock {
		stream := blocks % streams
		for i := range recs {
			clock += slower * (10 + uint64(i*i%40))
			up := i % (2 * depth)
			word := uint64(1+(blocks+up)%len(sites))<<format.SiteShift | uint64(64*(up+1))
			if up >= depth {
				up = 2*depth - 1 - up
				word = uint64(1+(blocks+up)%len(sites))<<format.SiteShift | uint64(64*(up+1)) | format.ExitBit
			}
			recs[i] = format.Record{Clock: clock, Word: word}
		}
		w.Chunk(uint32(stream), uint64(1+stream), recs)
		blocks++
		if len(w.File) > 1<<20 {
			if _, err := file.Write(w.File); err != nil {
				t.Fatal(err)
			}
			w.File = w.File[:0]
		}
	}
	w.End(clock, format.Trailer{Events: uint64(blocks * perBlock)})
	if _, err := file.Write(w.File); err != nil {
		t.Fatal(err)
	}
	return blocks
}

// A recursion of a million calls is read in memory that grows with its depth, not with the square
// of it. It is printed in forms that can be read.
func TestReadingDeep(t *testing.T) {
	const less = 20_000
	depth := 200_000
	if *long {
		depth = 1_000_000
	}
	dir := t.TempDir()
	files := map[int]string{depth: filepath.Join(dir, "deep.wmt"), less: filepath.Join(dir, "less.wmt")}
	for depth, file := range files {
		writeDeep(t, file, depth)
	}
	for _, tt := range []struct {
		args  string
		depth int
		lines int    // printed, at least
		says  string // on stderr
	}{
		{"tree", depth, depth, ""},
		{"tree --format rows", depth, depth, ""},
		{"tree --format json", depth, 900, ",900 rows below 100 levels left out: --format rows has all, --depth N nests N levels"},
		{"tree --callers main.f3", depth, 100, "callers above 100 levels are left out: --depth N shows N levels"},
		{"replay", depth, 2 * depth, ""},
		{"tree --root main.f2 --exclude main.f1", less, less * 3 / 4, ""},
		{"tree --format json --depth 4000", less, 4000, ""},
		{"replay --callers main.f3 --min 1us", less, less, ""},
		{"export --to pprof -o /dev/null", depth, 0, ""},
		{"export --to chrome -o /dev/null", less, 0, ""},
	} {
		out := new(printed)
		memory := peakOf(t, out, tt.args, files[tt.depth])
		t.Logf("%s: %d MB, %d lines, widest %d bytes", tt.args, memory>>20, out.lines, out.widest)
		if most := (100 + tt.depth/1500) << 20; memory > most {
			t.Errorf("%s: %d MB, want at most %d", tt.args, memory>>20, most>>20)
		}
		if out.lines < tt.lines || out.widest > 500 {
			t.Errorf("%s: %d lines of up to %d bytes, want at least %d of up to 500", tt.args, out.lines, out.widest, tt.lines)
		}
		if !strings.Contains(string(out.tail), tt.says) {
			t.Errorf("%s: printed %q at the end, want it to say %q", tt.args, out.tail, tt.says)
		}
		if strings.Contains(tt.args, "json") && tt.says == "" && !json.Valid(out.all) {
			t.Errorf("%s: package encoding/json can't read it", tt.args)
		}
	}
}

// printed looks at what a command prints.
type printed struct {
	lines, widest, width int
	tail                 []byte // what was printed last
	all                  []byte // if it begins like JSON
}

func (p *printed) Write(b []byte) (int, error) {
	if len(p.all) > 0 || p.lines == 0 && (b[0] == '{' || b[0] == '[') {
		p.all = append(p.all, b...)
	}
	p.tail = append(p.tail, b...)
	p.tail = p.tail[max(0, len(p.tail)-4096):]
	for _, line := range bytes.SplitAfter(b, []byte("\n")) {
		p.width += len(line)
		p.widest = max(p.widest, p.width)
		if bytes.HasSuffix(line, []byte("\n")) {
			p.lines++
			p.width = 0
		}
	}
	return len(b), nil
}

// writeDeep writes a recording of four functions that call each other, as deep as that.
func writeDeep(t *testing.T, path string, depth int) {
	t.Helper()
	const (
		perBlock = 4000
		start    = 1 << 40
	)
	w := tracetest.New(tracetest.Clock{Hz: 1e9, Start: start, Unix: 1_700_000_000_000_000_000, Mono: 1})
	var sites []format.Site
	for i := range 4 {
		sites = append(sites, format.Site{Name: fmt.Sprintf("main.f%d", i), File: "/src/main.go", Line: i + 1})
	}
	w.Sites(1, "main", sites)
	var recs []format.Record
	clock := uint64(start)
	add := func(level int, exit uint64) {
		clock += 20
		recs = append(recs, format.Record{Clock: clock, Word: exit | uint64(1+level%len(sites))<<format.SiteShift | uint64(32*(level+1))})
		if len(recs) == perBlock {
			w.Chunk(0, 1, recs)
			recs = recs[:0]
		}
	}
	for level := range depth {
		add(level, 0)
	}
	for level := depth - 1; level >= 0; level-- {
		add(level, format.ExitBit)
	}
	if len(recs) > 0 {
		w.Chunk(0, 1, recs)
	}
	w.End(clock, format.Trailer{Events: uint64(2 * depth)})
	if err := os.WriteFile(path, w.File, 0o600); err != nil {
		t.Fatal(err)
	}
}

// peak runs waymark and returns the greatest number of bytes that it had in memory at a time.
// The kernel's count for a child that has ended includes its parent.
func peak(t *testing.T, args, file string) (bytesInMemory int) {
	t.Helper()
	return peakOf(t, new(printed), args, file)
}

func peakOf(t *testing.T, out *printed, args, file string) (bytesInMemory int) {
	t.Helper()
	cmd := exec.Command("waymark", append(strings.Fields(args), file)...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			// The filter of the replay leaves no call.
			if err != nil && !strings.Contains(string(out.tail), "no call is left by --min") {
				t.Fatalf("waymark %s: %v\n%s", args, err, out.tail)
			}
			if bytesInMemory == 0 {
				t.Fatalf("waymark %s ended before its memory was read", args)
			}
			return bytesInMemory
		case <-time.After(time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if _, rest, ok := bytes.Cut(status, []byte("VmHWM:")); ok {
				kb, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
				if err != nil {
					t.Fatal(err)
				}
				bytesInMemory = max(bytesInMemory, kb<<10)
			}
		}
	}
}
