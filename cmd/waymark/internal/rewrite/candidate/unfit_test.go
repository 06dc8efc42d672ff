package candidate

import (
	"maps"
	"runtime"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax/syntaxtest"
)

// TestUnfit checks that the functions of the standard library that must be
// left alone exist and are.
func TestUnfit(t *testing.T) {
	want := maps.Clone(unfit)
	if runtime.GOOS == "linux" {
		want["syscall.forkAndExecInChild1"] = "runs between fork and exec"
		want["syscall.capToIndex"] = "runs between fork and exec"
	}
	for _, p := range syntaxtest.List(t, t.TempDir(), "sync", "syscall", "time") {
		tree := syntax.Parse(p.Unit(t), new(syntax.Config))
		own, _ := List(tree, flow.Of(tree))
		for _, f := range own {
			if want[f.Name] != "" {
				if f.Never != want[f.Name] {
					t.Errorf("%s: never instrumented because %q, want %q", f.Name, f.Never, want[f.Name])
				}
				delete(want, f.Name)
			}
		}
	}
	for name := range want {
		t.Errorf("%s does not exist", name)
	}
}
