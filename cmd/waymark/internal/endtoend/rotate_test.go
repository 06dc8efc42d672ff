//go:build linux

package endtoend

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/tracefile"
)

// A program that is killed at any moment of a recording that is rotated leaves parts
// with every call that it had finished, each once.
func TestKillRotating(t *testing.T) {
	prog := instrument(t, "kill", "--all")
	dir, r := t.TempDir(), seed.Rand(t, rand.Uint64())
	const workers = 4
	for i := range 10 {
		counters, trace := filepath.Join(dir, "counters"), filepath.Join(dir, "kill.wmt")
		rotated := func() bool { _, err := os.Stat(filepath.Join(dir, "kill.part1.wmt")); return err == nil }
		runAndKill(t, exec.Command(prog, counters), "record,max-size=1MB,rotate=1000000,o="+trace, counters, time.Duration(r.Intn(100e6)), rotated)

		var enters, exits [workers]uint64
		parts := append(recorder.Parts(trace), trace)
		if i%2 == 1 { // the order in which the parts are read for the first time does not matter
			parts = append([]string{trace}, recorder.Parts(trace)...)
		}
		recovered := uint64(0)
		for _, name := range parts {
			f, err := tracefile.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			events := f.Events()
			for ev := (tracefile.Event{}); events.Next(&ev); {
				site, ok := f.Func(ev.Site)
				if ev.Kind != tracefile.Enter && ev.Kind != tracefile.Exit || !ok || !strings.Contains(site.Name, ".leaf") {
					continue
				}
				w := site.Name[len(site.Name)-1] - '0'
				if ev.Kind == tracefile.Enter {
					enters[w]++
				} else {
					exits[w]++
				}
			}
			info := f.Info()
			if err := events.Err(); err != nil || info.Damaged != 0 || info.Lost != 0 || info.RecoveryErr != nil || !info.Rotated {
				t.Errorf("kill %d: %s: %v, info %+v", i, name, err, info)
			}
			recovered += info.Recovered
			f.Close()
		}
		for w := range workers {
			done := count(t, counters, w)
			// The counter follows the exit: the one call in between may be there.
			if exits[w] < done || exits[w] > done+1 || enters[w] < exits[w] || enters[w] > exits[w]+1 {
				t.Errorf("kill %d, worker %d: %d calls were finished; the recording has %d enters, %d exits", i, w, done, enters[w], exits[w])
			}
		}
		t.Logf("kill %d: %d parts, %d events recovered", i, len(parts), recovered)
		if _, err := os.Stat(trace + ".live"); err == nil {
			t.Error("the arena is still there after the first read")
		}
		for _, name := range parts {
			os.Remove(name)
		}
	}
}
