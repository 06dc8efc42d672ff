package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// recordLive records a running program, until the time is over or the user interrupts. form is
// that of what is said of the recording; more are settings of it, as WAYMARK has them, and values those of a patched one.
func (a *app) recordLive(process, dir, file, form, more, values string, rec *recordFlags, d time.Duration, targets []string) error {
	remote := live.IsRemote(process) // the program writes where it runs
	if !remote {
		if err := replaceable(file); err != nil {
			return err
		}
	}
	targets = absolute(process, dir, targets)
	_, stop := interrupted(0) // what is changed in the program is changed back
	defer stop()
	c, err := connect(process, dir, targets)
	if err != nil {
		return err
	}
	defer c.Close()
	if values != "" && !c.Patched {
		return fixed("record", values)
	}
	more += values
	if rec.ring() && !rec.config.DumpAtExit {
		more += ",dump-at-exit" // the end is what the user waits for: nothing else writes the window
	}
	if !rec.set.Changed("budget") && !rec.ring() && !c.Patched {
		more += ",budget=" + escape(liveBudget)
		a.note("a budget of " + liveBudget + ": calls of functions that cost more are counted; --budget none records all")
	}
	r := control.Request{Do: control.DoRecord, Targets: targets, Path: file, Settings: more}
	change, err := a.follow(c, form, r, d, newsEvery, func(*control.News) error { return nil })
	if change == nil {
		return err
	}
	if remote {
		return errors.Join(a.writtenThere(form, change.Path), err)
	}
	return errors.Join(a.recorded(file, form, rec, nil), err)
}

// dumpLive writes the window of a program's flight recorder to file; "" leaves it where the program
// writes it.
func (a *app) dumpLive(process, dir, file, form string) error {
	if file != "" && live.IsRemote(process) {
		return usagef("-o %s: a program that is reached over HTTP chooses its file, where it runs: leave -o out; record prints the name", file)
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
	dump, own, err := c.Named(path)
	if err != nil {
		return err
	}
	defer dump.Close()
	switch {
	case file == "" || file == path && own:
		file = path
	case own:
		err = move(dump, file)
	default:
		if err = copyDump(dump, file); err == nil {
			a.note(fmt.Sprintf("copied from %s, which is the program's", names.Printable(path)))
		}
	}
	if err != nil {
		return fmt.Errorf("the program has written %q, which can't be copied to %s: %w", path, file, err)
	}
	return a.sayRecording(form, []string{file})
}

// writtenThere says which file a program has written that runs elsewhere.
func (a *app) writtenThere(form, path string) error {
	if form == "json" {
		return a.object(map[string]string{"file": path})
	}
	a.note(names.Printable(path) + " was written where the program runs")
	return nil
}

// move renames a file, or copies it where that is another file system.
func move(from *os.File, to string) error {
	err := os.Rename(from.Name(), to)
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err := copyDump(from, to); err != nil {
		return err // from is whole
	}
	return os.Remove(from.Name())
}

// copyDump copies a trace file, and nothing else, to the name to, which only its user may read.
func copyDump(from *os.File, to string) error {
	info, err := from.Stat()
	if err != nil {
		return err
	}
	in := io.NewSectionReader(from, 0, info.Size())
	head := make([]byte, format.HeaderSize)
	if n, err := in.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	} else if err := format.CheckHeader(head[:n]); err != nil {
		return err
	}
	out, err := os.CreateTemp(filepath.Dir(to), ".waymark-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}
