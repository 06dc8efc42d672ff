package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

// isOurs ends messages about a build that fails with waymark only.
const isOurs = "this is a fault of waymark's; leave the functions at fault out with --exclude, and please report it"

// shortages are words in messages of the go command and its tools when the machine lacks something
// and the source is good.
var shortages = []string{
	"no space left on device", "not enough space on the disk", "disk quota exceeded", "read-only file system",
	"cannot allocate memory", "too many open files", "signal: killed",
}

// shortage returns the shortage that a message names, "" if there is none.
func shortage(message string) string {
	message = strings.ToLower(message)
	for _, s := range shortages {
		if strings.Contains(message, s) {
			return s
		}
	}
	return ""
}

// blame says why the instrumented build failed with a message. It builds the user's own program
// plain, because the messages of a plain build have the user's files and columns. What the compiler
// rejects only in rewritten code is waymark's fault.
func (a *app) blame(b *build.Build, f *buildFlags, message string, failed exitError) error {
	rejected := rejections(message)
	out, ok := a.plain(b, f, "build", b.Given.Without("o"), slices.Concat([]string{"-o", os.DevNull}, b.Asked),
		!strings.Contains("\n"+message, "\n# "))
	fmt.Fprint(a.stderr, out)
	fault := "the program builds without waymark but not with it: " + isOurs
	if !ok {
		if message, fault = onlyRewritten(rejected, out); message == "" {
			return failed
		}
	}
	if text := groupErrors(message); text != "" {
		fmt.Fprint(a.stderr, text)
		return failed
	}
	fmt.Fprint(a.stderr, message)
	if s := shortage(message); s != "" {
		return fmt.Errorf("the build did not end: %s; see to it where GOCACHE, GOTMPDIR and the output are, and try again", s)
	}
	if ok {
		elsewhere := b.Env.Command(b.Go("build", append([]string{"-o", os.DevNull}, b.Args...)...)...)
		elsewhere.Stdout, elsewhere.Stderr = io.Discard, io.Discard
		a.trace(f, elsewhere)
		if await(elsewhere) == nil {
			return errors.New("the program builds, but can't be written there: choose another place, with -o of waymark build, else with TMPDIR")
		}
	}
	return errors.New(fault)
}

// plain runs the go command on the user's own source, and returns what it says and whether it
// succeeds. refused says that the go command itself refused the instrumented build.
//
// If a module's go.sum lacks the library, only waymark builds the module: the go command refuses a
// plain build before it compiles anything. Then plain builds with the library that waymark carries.
func (a *app) plain(b *build.Build, f *buildFlags, verb string, flags gocmd.Flags, args []string, refused bool) (out string, ok bool) {
	run := func(env *gocmd.Env, flags gocmd.Flags) (out string, ok, compiled bool) {
		var stdout, stderr bytes.Buffer
		cmd := env.Command(slices.Concat([]string{verb}, flags, args)...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		a.trace(f, cmd)
		ok = await(cmd) == nil
		out = stderr.String()
		if verb == "build" {
			out = stdout.String() + out
		}
		return out, ok, ok || len(rejections(out)) > 0 && !strings.Contains(stdout.String(), "[setup failed]")
	}
	out, ok, compiled := run(b.Plain, flags)
	if compiled || refused {
		return out, ok
	}
	flags, err := b.FindLibrary(flags)
	if err != nil {
		return out, false
	}
	if helped, ok, compiled := run(b.Env, flags); compiled {
		return helped, ok
	}
	return out, false
}

// onlyRewritten returns what the compiler says of packages that it rejects only if they are
// rewritten, and an error message that names these packages. Both are empty if there are no such
// packages.
func onlyRewritten(rejected []rejection, plain string) (text, fault string) {
	name := func(r rejection) string {
		name, _, _ := strings.Cut(r.pkg, " [")
		return name
	}
	users := make(map[string]bool)
	for _, r := range rejections(plain) {
		users[name(r)] = true
	}
	var ours []string
	for _, r := range rejected {
		if !users[name(r)] {
			ours = append(ours, name(r))
			text += r.text
		}
	}
	if text == "" {
		return "", ""
	}
	slices.Sort(ours)
	return text, "with waymark these packages do not compile: " + strings.Join(slices.Compact(ours), ", ") + ": " + isOurs
}
