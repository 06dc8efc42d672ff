//go:build linux && amd64

package host

import (
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// A root's time is that of stacks which it is on, also once it is known.
func TestRoot(t *testing.T) {
	matcher, err := compileRoot("store.Get")
	if err != nil {
		t.Fatal(err)
	}
	s := &samples{h: &host{t: &patch.Target{Image: new(image.Image)}}, root: matcher}
	s.tree = &callgraph.Tree{Root: new(callgraph.Node)}
	const idle, inner, get, main = "main.idle", "store.read", "example.com/store.Get", "main.main"
	for _, calls := range [][]string{{idle, main}, {inner, get, main}, {idle, main}, {get, main}, {"runtime.gopark"}, {inner, get, get, main}} {
		seen := patch.Seen{State: patch.Waits}
		for _, name := range calls {
			seen.Stack = append(seen.Stack, image.Frame{Function: name})
		}
		s.count(seen, time.Second)
	}
	root := s.tree.Root
	if root.Func.Name != get || root.Samples != 3 || root.Total != 3*time.Second {
		t.Errorf("%s has %d samples and %v, want %s with 3 and 3s", root.Func.Name, root.Samples, root.Total, get)
	}
	for name, want := range map[string]time.Duration{inner: time.Second, get: time.Second, idle: 0, main: 0} {
		got := time.Duration(0)
		if n := root.Child(name); n != nil {
			got = n.Total
		}
		if got != want {
			t.Errorf("below the root %s has %v, want %v", name, got, want)
		}
	}
}

// Threads that look for work are in no tree, as they aren't in those of package sampler.
func TestShown(t *testing.T) {
	for stack, want := range map[string]string{
		"runtime.futex runtime.notesleep runtime.stopm runtime.findRunnable runtime.schedule runtime.park_m runtime.mcall": "",
		"runtime.usleep runtime.sysmon runtime.mstart1 runtime.mstart0 runtime.mstart":                                     "",
		"runtime.clone": "",
		"runtime.gcDrain runtime.gcBgMarkWorker.func2 runtime.systemstack runtime.gcBgMarkWorker runtime.gcBgMarkStartWorkers.gowrap1 runtime.goexit": "runtime.gcBgMarkWorker",
		"runtime.mallocgc main.work main.main runtime.main runtime.goexit":                                                                            "main.work main.main",
		"runtime.goexit": "",
	} {
		seen, got := patch.Seen{State: patch.Runs}, []string{}
		for name := range strings.FieldsSeq(stack) {
			seen.Stack = append(seen.Stack, image.Frame{Function: name, Wrapper: strings.HasSuffix(name, ".gowrap1")})
		}
		for _, f := range shown(seen) {
			got = append(got, f.Function)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("of %s, %q is shown, want %q", stack, got, want)
		}
	}
}
