// Command go stands in for the go command when the Go project's own runner
// (cmd/internal/testdir) runs the programs of GOROOT/test: whatever it compiles is
// instrumented first, every function with arguments and results.
//
//	go tool compile    compiles the rewritten files
//	go list -export    lists the standard library built with the hooks, and the agent
//	go build, go run   are waymark build, and that with a run of what it built
//
// A program that comes of it runs twice, with tracing off and while it is recorded,
// and must do the same both times. Everything else goes to the real go command.
//
// Under another name it is such a program's stand-in: it runs the one next to it.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// What the test that built this command tells it by its environment.
var (
	realGo  = os.Getenv("STANDIN_GO")      // the go command
	waymark = os.Getenv("STANDIN_WAYMARK") // the waymark command
	module  = os.Getenv("STANDIN_MODULE")  // a module that is instrumented,
	goflags = os.Getenv("STANDIN_GOFLAGS") // what `waymark env` says there
	counts  = os.Getenv("STANDIN_COUNTS")  // where to write what was done
)

func main() {
	status, err := run(os.Args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "stand-in for the go command:", err)
		status = 1
	}
	os.Exit(status)
}

func run(args []string) (int, error) {
	if name := filepath.Base(args[0]); name != "go" {
		self, err := os.Executable()
		if err != nil {
			return 0, err
		}
		return runTwice(self+actual, args[1:])
	}
	args = args[1:]
	switch {
	case len(args) > 2 && args[0] == "tool" && args[1] == "compile":
		return compile(args[2:])
	case len(args) > 2 && args[0] == "tool" && args[1] == "link":
		return link(args[2:])
	case len(args) > 1 && args[0] == "list" && args[1] == "-export":
		return list(args)
	case len(args) > 1 && args[0] == "build" && instrumentable(args):
		return build(args[1:])
	case len(args) > 1 && args[0] == "run" && instrumentable(args):
		return buildAndRun(args[1:])
	}
	return goCommand(args...)
}

// goCommand runs the real go command and gives its exit status.
func goCommand(args ...string) (int, error) {
	return status(command(realGo, args...))
}

func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// What is run finds the real go command, so that it isn't stood in for twice, and
	// the real GOROOT instead of the links to it.
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(realGo)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOROOT="+filepath.Dir(filepath.Dir(realGo)))
	return cmd
}

// status runs cmd; to exit with a status isn't an error.
func status(cmd *exec.Cmd) (int, error) {
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// list adds the agent to the packages that programs can be linked with.
func list(args []string) (int, error) {
	args = append(slices.Insert(slices.Clone(args), 2, "-deps"), "github.com/waymark-go/waymark/agent")
	cmd := command(realGo, args...)
	cmd.Dir = module
	cmd.Env = append(cmd.Env, "GOFLAGS="+goflags, "PWD="+module)
	return status(cmd)
}

// instrumentable reports whether the files or packages to build are at hand, as
// those of a test are; the rest is for the go command.
func instrumentable(args []string) bool {
	last := args[len(args)-1]
	return last == "." || strings.HasSuffix(last, ".go")
}

var everything = []string{"build", "--all", "--closures", "--args", "--results"}

func build(args []string) (int, error) {
	count("built", 1)
	code, err := status(command(waymark, append(slices.Clone(everything), args...)...))
	if i := slices.Index(args, "-o"); err == nil && code == 0 && i >= 0 && i+1 < len(args) {
		return 0, standIn(args[i+1])
	}
	return code, err
}

func buildAndRun(args []string) (int, error) {
	dir, err := os.MkdirTemp("", "standin")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	// Behind the files or the package come the program's arguments.
	n := slices.IndexFunc(args, func(arg string) bool { return arg == "." || strings.HasSuffix(arg, ".go") })
	for n < len(args) && (args[n] == "." || strings.HasSuffix(args[n], ".go")) {
		n++
	}
	count("built", 1)
	exe := filepath.Join(dir, "program")
	code, err := status(command(waymark, append(slices.Clone(everything), append([]string{"-o", exe}, args[:n]...)...)...))
	if code != 0 || err != nil {
		return code, err
	}
	return runTwice(exe, args[n:])
}

// count adds a line to the list of what was done.
func count(what string, n int) {
	f, err := os.OpenFile(counts, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "%s %d\n", what, n) // short enough to be written at once
}

func copyFile(dst, src string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o777)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}
