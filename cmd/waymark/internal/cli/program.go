package cli

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
)

// program returns the program to run: an instrumented binary, or one that is built from a
// package. The program has a temporary folder of its own for what it writes. program
// returns nil if --dry-run was asked for.
func (a *app) program(name string, f *buildFlags, set *pflag.FlagSet, line *commandLine) (*traced, error) {
	path, err := binary(line)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return a.buildProgram(name, f, line)
	}
	if flag := forBuild(set, line); flag != "" {
		return nil, usagef("%s: %s is for builds, and %s is already built: leave %s out, or name the package", name, flag, line.args[0], flag)
	}
	t := &traced{path: path, args: line.args[1:], exec: line.exec()}
	t.dir, err = tempDir("waymark-")
	return t, err
}

// binary returns the path of the instrumented program that the arguments begin with, "" if
// they name a package.
func binary(line *commandLine) (string, error) {
	if len(line.args) == 0 || strings.HasSuffix(line.args[0], ".go") {
		return "", nil
	}
	name := line.args[0]
	if fi, err := os.Stat(name); err != nil || !fi.Mode().IsRegular() {
		return "", nil
	}
	err := instrumented(name)
	if filepath.Base(name) == name && (err != nil || isPackage(name)) {
		return "", nil // to the go command a name without a separator is a package
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(name)
}

// errForeign says that plain Go has built a program.
var errForeign = errors.New("was not built by waymark")

// isPackage reports whether the go command knows a package by that name.
func isPackage(name string) bool {
	out, err := exec.Command("go", "list", "-find", "-f", "{{.Name}}", "--", name).Output()
	return err == nil && len(out) > 0
}

// instrumented checks that the file at path is a program that waymark built.
func instrumented(path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s is not a Go program: %w", path, err)
	}
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			for _, tag := range strings.Split(s.Value, ",") {
				if tag == library.Tag {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("%s %w: build it with waymark build, or name its package", path, errForeign)
}

// forBuild returns the first flag on the command line that only a build uses, "" if there is none.
// The flags of waymark.toml are for packages and binaries alike.
func forBuild(set *pflag.FlagSet, line *commandLine) string {
	if rest := line.flags.Without("exec"); len(rest) > 0 {
		return rest[0]
	}
	var f buildFlags
	build := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.define(build)
	first := ""
	set.Visit(func(flag *pflag.Flag) {
		if first == "" && build.Lookup(flag.Name) != nil && flag.Name != "verbose" && config.From(flag) == "" {
			first = "--" + flag.Name
		}
	})
	return first
}

// exec returns go run's -exec: a program and its arguments to run the program with.
func (c *commandLine) exec() []string {
	prefix, _ := c.flags.Lookup("exec")
	return strings.Fields(prefix)
}

// buildProgram builds the program that line names, as go run would, into a folder
// of its own. It returns nil if --dry-run was asked for.
func (a *app) buildProgram(name string, f *buildFlags, line *commandLine) (*traced, error) {
	n := 0
	for n < len(line.args) && strings.HasSuffix(line.args[n], ".go") {
		n++
	}
	if n == 0 && len(line.args) > 0 {
		n = 1
	}
	if n == 0 {
		line.args, n = []string{"."}, 1
	}
	t := &traced{args: line.args[n:], exec: line.exec()}
	flags := line.flags.Without("exec")
	if _, ok := flags.Lookup("o"); ok {
		return nil, usagef("%s: -o names no output here; waymark build -o does", name)
	}
	b, err := a.prepare(f, flags, line.args[:n], false)
	if err != nil || b == nil {
		return nil, err
	}
	for _, p := range b.Main {
		if p.Error == nil && p.Name != "main" {
			return nil, fmt.Errorf("package %s is not a main package: name one that is a command", p.ImportPath)
		}
	}
	switch len(b.Main) {
	case 1:
	case 0:
		return nil, fmt.Errorf("%s names no package: name one that is a command", line.args[0])
	default:
		return nil, fmt.Errorf("%s names %d packages: name one", line.args[0], len(b.Main))
	}
	if t.dir, err = tempDir("waymark-"); err != nil {
		return nil, err
	}
	exe := gocmd.ExeName(b.Main[0].ImportPath) // as go run does it, for what os.Args[0] ends in
	t.path = filepath.Join(t.dir, exe+b.Env.GOEXE)
	b.Flags = append(b.Flags, "-o", t.path)
	if _, ok := append(b.Env.Settings(), flags...).Lookup("ldflags"); !ok {
		b.Flags = append(b.Flags, "-ldflags=-w") // nobody debugs it, as with go run: DWARF is a half of linking
	}
	return t, b.Link(t.path, func() error { return a.goBuild(b, f) })
}

// programStatus turns the end of the traced program into that of this command.
func programStatus(err error) error {
	var e ended
	if errors.As(err, &e) {
		return exitError(e.status())
	}
	return err
}
