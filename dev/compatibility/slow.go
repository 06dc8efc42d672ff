package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// slowPeriod is how long a slowed program runs and is stopped, together. The period is longer if
// the program would run for less than leastRun, which signals can't cut to size.
const (
	slowPeriod = 10 * time.Millisecond
	leastRun   = time.Millisecond
)

// slowDown runs a program that gets a part of the time only: it and its children are
// stopped and continued by signals. It returns the program's exit status.
func slowDown(times float64, args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	group := -cmd.Process.Pid
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	on := max(time.Duration(float64(slowPeriod)/times), leastRun)
	next, wait := syscall.SIGSTOP, on
	for {
		select {
		case err := <-done:
			var status *exec.ExitError
			switch {
			case err == nil:
				return 0
			case errors.As(err, &status) && status.ExitCode() > 0:
				return status.ExitCode()
			}
			return 1
		case s := <-interrupts:
			syscall.Kill(group, syscall.SIGCONT)
			syscall.Kill(group, s.(syscall.Signal))
		case <-time.After(wait):
			syscall.Kill(group, next)
			if next == syscall.SIGSTOP {
				next, wait = syscall.SIGCONT, time.Duration(float64(on)*(times-1))
			} else {
				next, wait = syscall.SIGSTOP, on
			}
		}
	}
}
