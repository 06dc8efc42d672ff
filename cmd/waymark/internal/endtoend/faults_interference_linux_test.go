package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Others do things to the files of a recording that goes on.
func (f *faultTest) interference(t *testing.T) {
	const calls = 400_000
	paused := func(t *testing.T, settings string, do func(trace string) error) *faultRun {
		r := &faultRun{faultTest: f, calls: calls, settings: settings, env: []string{"GOMAXPROCS=1"}, trace: filepath.Join(t.TempDir(), "f.wmt")}
		r.pause = func(*exec.Cmd) {
			if err := do(r.trace); err != nil {
				t.Error(err)
			}
		}
		return r
	}
	replace := func(path string) error {
		if err := os.WriteFile(path+".new", []byte("mine"), 0o600); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	}
	for name, do := range map[string]func(string) error{"removed": os.Remove, "replaced": replace} {
		t.Run("trace file "+name, func(t *testing.T) {
			r := paused(t, "", do)
			r.run(t)
			// What was lost includes what had been written.
			var lost int
			if m := lostIn.FindStringSubmatch(r.said); m != nil {
				fmt.Sscan(m[1], &lost)
			}
			if !strings.Contains(r.said, "was removed by another program") || lost < calls {
				t.Errorf("waymark said %q", r.said)
			}
			b, err := os.ReadFile(r.trace)
			if left, _ := filepath.Glob(r.trace + "*"); name == "removed" && len(left) > 0 || name == "replaced" && (len(left) > 1 || string(b) != "mine") {
				t.Errorf("left: %v, %q, %v", left, b, err)
			}
		})
		t.Run("buffers "+name, func(t *testing.T) {
			// The memory is still there. After a kill nobody would find it.
			r := paused(t, "", func(trace string) error { return do(trace + ".live") })
			r.complete(t)
			if b, _ := os.ReadFile(r.trace + ".live"); name == "replaced" && string(b) != "mine" {
				t.Errorf("what is at the buffers' name now has %q", b)
			}
		})
	}
	for _, size := range []int64{0, 1000} {
		t.Run(fmt.Sprint("trace file cut to ", size), func(t *testing.T) {
			r := paused(t, "", func(trace string) error { return os.Truncate(trace, size) })
			r.last = true
			r.run(t)
			info, found := r.read(t, r.trace)
			var lost uint64
			if m := lostIn.FindStringSubmatch(r.said); m != nil {
				fmt.Sscan(m[1], &lost)
			}
			// What is missing is what was said: besides the digits' some events around them.
			if missing := perCall * (calls - found); !info.Complete || info.Lost != lost || lost < missing || lost > missing+20 || found == 0 {
				t.Errorf("waymark said %q; %d calls, %+v", r.said, found, info)
			}
		})
	}
	t.Run("before anything was written", func(t *testing.T) {
		r := paused(t, "", os.Remove)
		r.calls = 2000
		r.run(t)
		said := regexp.MustCompile(`was removed by another program; recording has stopped, [1-8][0-9]{3} events are lost`) // 2000 calls have 8000 and some
		if left, _ := filepath.Glob(r.trace + "*"); len(left) > 0 || !said.MatchString(r.said) {
			t.Errorf("waymark said %q; left: %v", r.said, left)
		}
		r = paused(t, "", func(trace string) error { return os.Truncate(trace, 0) })
		r.calls = 2000
		r.run(t)
		if info, found := r.read(t, r.trace); perCall*(2000-found) > info.Lost || info.Lost > 8100 || !info.Complete || !strings.Contains(r.said, fmt.Sprintf("cut to 0 bytes by another program; %d events", info.Lost)) {
			t.Errorf("waymark said %q; %d calls, %+v", r.said, found, info)
		}
	})
	for _, size := range []int64{0, 100_000} {
		t.Run(fmt.Sprint("buffers cut to ", size), func(t *testing.T) {
			paused(t, "", func(trace string) error { return os.Truncate(trace+".live", size) }).stopped(t, "was cut or overwritten")
		})
	}
	overwrite := func(trace string) error {
		return os.WriteFile(trace+".live", []byte(strings.Repeat("not waymark's", 1<<20)), 0o600)
	}
	t.Run("buffers overwritten", func(t *testing.T) {
		paused(t, "", overwrite).stopped(t, "was cut or overwritten")
	})
	t.Run("ring overwritten", func(t *testing.T) {
		r := paused(t, ",overflow=ring,buffers=8MiB,dump-at-exit", overwrite)
		r.run(t)
		if info, found := r.read(t, r.trace); found != 0 || info.Lost == 0 || !strings.Contains(r.said, fmt.Sprint(info.Lost, " events are lost")) {
			t.Errorf("waymark said %q; %d calls, %+v", r.said, found, info)
		}
	})
}
