package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
)

const ourFault = "builds without waymark but not with it: this is a fault of waymark's; leave the functions at fault out with --exclude, and please report it"

// shortages are what the go command and the tools that it runs say when the machine fails
// them and not the source.
var shortages = []string{
	"no space left on device", "not enough space on the disk", "disk quota exceeded", "read-only file system",
	"cannot allocate memory", "too many open files", "signal: killed",
}

// shortage returns the shortage that a message tells of, "" if there is none.
func shortage(message string) string {
	message = strings.ToLower(message)
	for _, s := range shortages {
		if strings.Contains(message, s) {
			return s
		}
	}
	return ""
}

// blame says why the instrumented build failed with a message although the plain one
// doesn't. Only what the compiler says of rewritten code is waymark's fault.
func (a *app) blame(b *build.Build, f *buildFlags, message string) error {
	fmt.Fprint(a.stderr, message)
	if s := shortage(message); s != "" {
		return fmt.Errorf("the build did not end: %s; see to it where GOCACHE, GOTMPDIR and the output are, and try again", s)
	}
	elsewhere := b.Env.Command(b.Go("build", append([]string{"-o", os.DevNull}, b.Args...)...)...)
	elsewhere.Stdout, elsewhere.Stderr = io.Discard, io.Discard
	a.trace(f, elsewhere)
	if await(elsewhere) == nil {
		return errors.New("the program builds, but can't be written there: choose another place, with -o of waymark build, else with TMPDIR")
	}
	return errors.New("the program " + ourFault)
}
