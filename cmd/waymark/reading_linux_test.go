package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/internal/tracetest"
)

var billion = flag.Bool("billion", false, "read a recording of a billion events (takes 2 GB of disk)")

// TestReadersMemory checks that the commands that read keep no more in memory of a long
// recording than of a short one, but for the index of its blocks.
func TestReadersMemory(t *testing.T) {
	short, long, limit := 2_000_000, 12_000_000, 0
	if *billion {
		long, limit = 1_000_000_000, 200<<20
	}
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "short.wmt"), filepath.Join(dir, "long.wmt")}
	writeCalls(t, files[0], short)
	blocks := writeCalls(t, files[1], long)
	// A replay of all calls would take long and prove no more.
	for _, args := range []string{"report", "tree", "info", "replay --min 1h"} {
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

// writeCalls writes a recording of goroutines on four Ps that make as many events, and
// gives the number of its blocks.
func writeCalls(t *testing.T, path string, events int) (blocks int) {
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
			clock += 10 + uint64(i*i%40)
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

// peak runs waymark and gives the greatest number of bytes that it had in memory at a time.
// The kernel's count for a child that has ended includes its parent.
func peak(t *testing.T, args, file string) (bytesInMemory int) {
	t.Helper()
	cmd := exec.Command("waymark", append(strings.Fields(args), file)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			// The filter of the replay leaves no call.
			if err != nil && !strings.Contains(out.String(), "no call is left by --min") {
				t.Fatalf("waymark %s: %v\n%s", args, err, out.String())
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
