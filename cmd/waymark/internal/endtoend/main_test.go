package endtoend

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/full"
	"github.com/waymark-go/waymark/internal/testing/repository"
)

var (
	update = flag.Bool("update", false, "update the scripts' golden files")
	long   = flag.Bool("long", false, "run scripts to their ends, which compiles the standard library for more toolchains and build modes (minutes)")
	modes  = flag.Bool("modes", false, "run the scripts of build modes, each of which compiles the standard library anew (minutes)")
)

func TestMain(m *testing.M) {
	if spec := os.Getenv(confineVar); spec != "" {
		confine(spec)
	}
	testscript.Main(sharing{m}, map[string]func(){"waymark": func() { os.Exit(full.Run()) }})
}

// A sharing runs tests that share programs and a cache.
type sharing struct{ *testing.M }

func (s sharing) Run() int {
	end, err := beginSharing()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer end()
	return s.M.Run()
}

// TestScripts runs the command with the real go command, one script for each behaviour.
func TestScripts(t *testing.T) { scripts(t, "testdata/script") }

// TestModes is TestScripts for the ways of building that take long: plugins, libraries,
// sanitizers, profiles, fuzzing.
func TestModes(t *testing.T) {
	if !*modes {
		t.Skip("-modes is not given: make test-modes")
	}
	scripts(t, "testdata/modes")
}

func scripts(t *testing.T, dir string) {
	vars := []string{
		"WAYMARKCACHE=" + os.Getenv("WAYMARKCACHE"),
		"GOCACHE=" + goEnv(t, "GOCACHE"),
		"GOMODCACHE=" + goEnv(t, "GOMODCACHE"),
		"GOPROXY=" + goEnv(t, "GOPROXY"),
		"GOFLAGS=-ldflags=-w", // linking is a half of most builds, and DWARF a half of that
		"GOWORK=",
		"GOTOOLCHAIN=" + goEnv(t, "GOTOOLCHAIN"),
		"NO_COLOR=1",
		"LIBRARY=" + repository.Path(t, ""), // for programs that import it
	}
	// What the go command may need to reach the module proxy.
	for _, name := range []string{"GONOSUMDB", "GOSUMDB", "SSL_CERT_FILE", "HTTPS_PROXY"} {
		if v, ok := os.LookupEnv(name); ok {
			vars = append(vars, name+"="+v)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"proxy": proxy},
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, vars...)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "long": // in front of what make test-long does beyond make test
				return *long, nil
			case "race":
				return goEnv(t, "CGO_ENABLED") == "1", nil
			case "toolchains":
				cmd := exec.Command("go", "version")
				cmd.Env = append(os.Environ(), "GOTOOLCHAIN=go1.27.2")
				return cmd.Run() == nil, nil
			}
			return false, nil
		},
	})
}
