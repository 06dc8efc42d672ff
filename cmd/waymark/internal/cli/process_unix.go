//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// forwarded are the signals that are passed on to the traced program.
var forwarded = []os.Signal{
	syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH,
}

// ending are those that end this command when the program has ended.
var ending = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// die ends this process as the signal would have.
func die(s os.Signal) {
	signal.Reset(s)
	syscall.Kill(syscall.Getpid(), s.(syscall.Signal))
}

// keepPipes makes writes to a pipe that nobody reads fail from now on. It would
// end this command, which has a folder to clear away. Programs that it starts are not
// affected.
func keepPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// fromTerminal reports whether a signal of this kind comes from the keyboard of a
// terminal in whose foreground this command runs. Then the terminal has sent the
// signal to the traced program too.
func fromTerminal(s os.Signal) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT && s != syscall.SIGWINCH {
		return false
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	pgrp, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && pgrp == unix.Getpgrp()
}

// status returns the exit status for a program that ended with state. A signal that
// ended the program ends this process too, so that whoever waits sees the same. It
// does not if Go or the kernel would print or dump something for the signal.
func (e ended) status() int {
	w, ok := e.state.Sys().(syscall.WaitStatus)
	if !ok || !w.Signaled() {
		return e.state.ExitCode()
	}
	switch s := w.Signal(); s {
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGALRM:
		signal.Reset(s)
		syscall.Kill(syscall.Getpid(), s)
	}
	return 128 + int(w.Signal())
}
