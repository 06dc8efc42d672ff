package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// A traced is a run of an instrumented program.
type traced struct {
	path string
	args []string
	exec []string // go run's -exec: a program to run it with
	env  string   // WAYMARK
	dir  string   // the folder that path is in, if it is a temporary one
}

// clear removes the temporary folder.
func (t *traced) clear() {
	if t.dir != "" {
		os.RemoveAll(t.dir)
	}
}

// run runs the program with the command's own standard streams. A signal that ends the program does
// not end the command, which has a report to print. The error is an ended, unless the program could
// not be started.
func (a *app) run(t *traced) error {
	argv := append(append(t.exec[:len(t.exec):len(t.exec)], t.path), t.args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Args = argv
	if len(t.exec) == 0 {
		cmd.Args[0] = t.path
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inherit(a.stdin), a.stdout, a.stderr
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "WAYMARK=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "WAYMARK="+t.env)

	return awaitProgram(cmd, cmd.Start)
}

// awaitProgram is await for a program. The error is an ended, unless the program could not be started.
func awaitProgram(cmd *exec.Cmd, start func() error) error {
	err := awaitStarted(cmd, start)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return ended{exit.ProcessState}
	}
	return err
}

// await runs cmd to its end.
func await(cmd *exec.Cmd) error { return awaitStarted(cmd, cmd.Start) }

// awaitStarted runs cmd, which start starts, to its end. Signals that would end this command are passed on to cmd instead,
// because this command has something to print or to clear away afterwards.
func awaitStarted(cmd *exec.Cmd, start func() error) error {
	keepPipes()
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, forwarded...)
	defer signal.Stop(signals)
	if err := start(); err != nil {
		return fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case s := <-signals:
				if !fromTerminal(s) {
					cmd.Process.Signal(s)
				}
			case <-stop:
				return
			}
		}
	}()
	return cmd.Wait()
}

// guard removes the temporary folder dir when a signal ends this command, until release is called.
// This command may have much to print after the program has ended.
func guard(dir string) (release func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, ending...)
	released := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			if dir != "" {
				os.RemoveAll(dir)
			}
			die(s)
		case <-released:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(released)
	}
}

// tempDir makes a temporary folder.
func tempDir(pattern string) (string, error) {
	dir, err := os.MkdirTemp("", pattern)
	if err != nil {
		return "", fmt.Errorf("no temporary folder: %w; set TMPDIR to a folder that can be written", err)
	}
	return dir, nil
}

// inherit passes an open file on as it is. Another reader would be copied by a
// goroutine that keeps waiting for input after the program has ended.
func inherit(r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok {
		return f
	}
	return nil
}

// An ended is how a traced program ended, other than well.
type ended struct{ state *os.ProcessState }

func (e ended) Error() string { return e.state.String() }
