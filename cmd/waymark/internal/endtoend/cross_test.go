package endtoend

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

var cross = flag.Bool("cross", false, "build instrumented programs for all platforms, the standard library with them (minutes)")

// Instrumented programs build for other platforms. With -long, a small example is built for one of
// them. With -cross, a larger example with all that it imports is built for all of them.
// TestArchitectures runs some.
func TestCross(t *testing.T) {
	if !*long && !*cross {
		t.Skip("compiles another platform's standard library: make test-long, make test-cross")
	}
	platforms := [][2]string{{"windows", "amd64"}}
	example, include := "facility", "./..."
	if *cross {
		example, include = "shop", "..."
		platforms = [][2]string{
			{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "386"}, {"linux", "riscv64"},
			{"darwin", "amd64"}, {"darwin", "arm64"},
			{"windows", "amd64"}, {"windows", "arm64"},
		}
	}
	waymark := tool(t)
	for _, p := range platforms {
		t.Run(p[0]+"_"+p[1], func(t *testing.T) {
			cmd := exec.Command(waymark, "build", "--all", "--closures", "--include", include, "-o", filepath.Join(t.TempDir(), example), ".")
			cmd.Dir = repository.Path(t, "examples/"+example)
			cmd.Env = append(os.Environ(), "GOOS="+p[0], "GOARCH="+p[1], "CGO_ENABLED=0")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("waymark build: %v\n%s", err, out)
			}
		})
	}
}
