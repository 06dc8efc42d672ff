package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/control"
	"github.com/waymark-go/waymark/internal/recorder"
)

// recordLive records a running program, until the time is over or the user interrupts. form is
// that of what is said of the recording; more are settings of it, as WAYMARK has them.
func (a *app) recordLive(process, dir, file, form, more string, rec *recordFlags, d time.Duration, targets []string) error {
	remote := live.IsRemote(process) // the program writes where it runs
	if !remote {
		if err := replaceable(file); err != nil {
			return err
		}
	}
	c, err := live.Connect(process, dir)
	if err != nil {
		return err
	}
	defer c.Close()
	if rec.ring() && !rec.config.DumpAtExit {
		more += ",dump-at-exit" // the end is what the user waits for: nothing else writes the window
	}
	r := control.Request{Do: control.DoRecord, Targets: targets, Path: file, Settings: more}
	change, err := a.follow(c, r, d, newsEvery, func(*control.News) error { return nil })
	if change == nil {
		return err
	}
	if remote {
		return errors.Join(a.writtenThere(form, change.Path), err)
	}
	return errors.Join(a.recorded(change.Path, form, rec, nil), err)
}

// dumpLive writes the window of a program's flight recorder to file; "" leaves it where the program
// writes it.
func (a *app) dumpLive(process, dir, file, form string) error {
	if file != "" && live.IsRemote(process) {
		return usagef("-o %s: a program that is reached over HTTP writes where it runs: the file that it chose is said", file)
	}
	if file != "" {
		if err := recorder.Replaceable(file); err != nil { // it may be no trace file
			return err
		}
	}
	c, err := live.Connect(process, dir)
	if err != nil {
		return err
	}
	defer c.Close()
	answer, err := c.Ask(control.Request{Do: control.DoDump})
	if err != nil {
		return err
	}
	path := answer.Change.Path
	if live.IsRemote(process) {
		return a.writtenThere(form, path)
	}
	if file != "" && file != path {
		if err := move(path, file); err != nil {
			return fmt.Errorf("the program has written %s, which can't be moved to %s: %w", path, file, err)
		}
		path = file
	}
	return a.sayRecording(form, []string{path})
}

// writtenThere says which file a program has written that runs elsewhere.
func (a *app) writtenThere(form, path string) error {
	if form == "json" {
		return a.object(map[string]string{"file": path})
	}
	a.note(path + " was written where the program runs")
	return nil
}

// move renames a file, or copies it where that is another file system.
func move(from, to string) error {
	err := os.Rename(from, to)
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		os.Remove(to) // from is whole
		return err
	}
	return os.Remove(from)
}
