//go:build linux && amd64

package host

import (
	"errors"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/stopped"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// A recording is a task that records.
type recording struct {
	*patch.Recording
	h      *host
	wanted []patch.Wanted
}

// Record implements control.Host.
func (h *host) Record(r control.Request) (control.Task, control.Change, error) {
	var c control.Change
	var found []*image.Func
	var set *pattern.Set
	targets, lines := splitLines(r.Targets)
	if len(targets) > 0 || len(lines) == 0 {
		var err error
		if c, err = h.Find(targets); err != nil {
			return nil, c, err
		}
		if found, set, err = h.matching(targets); err != nil {
			return nil, c, err
		}
	}
	config := recorder.Config{Path: r.Path}
	chosen, err := settings(&config, r.Settings)
	if err != nil {
		return nil, c, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var copied *patch.Values
	var notes []string
	if chosen.args || chosen.results || len(lines) > 0 {
		v, err := h.useValues(chosen.show)
		if err != nil {
			return nil, c, err
		}
		if v.err != nil {
			what := "arguments and results"
			if len(lines) > 0 {
				what = "lines"
			}
			return nil, c, &control.Error{Code: control.CodeState, Text: what + " can't be recorded: " + v.err.Error()}
		}
		copied, notes = v.Values, v.notes
	}
	var places []*patch.Line
	if len(lines) > 0 {
		some, more, err := h.values.linesOf(lines)
		if err != nil {
			return nil, c, err
		}
		places, notes = some, append(more, notes...)
		functions, packages := make(map[string]bool), make(map[string]bool)
		for _, l := range places {
			functions[l.Func.Name], packages[l.Func.Package()] = true, true
		}
		c.Functions, c.Packages = c.Functions+len(functions), c.Packages+len(packages)
	}
	file, err := h.t.Record(config, copied, chosen.args, chosen.results)
	if err != nil {
		return nil, c, err
	}
	rec := &recording{Recording: file, h: h}
	for _, f := range found {
		w := patch.Wanted{Func: f}
		if copied != nil {
			w.Record = copied.Record(f, w.Record)
			if !chosen.args {
				w.Record.Args = nil
			}
			if !chosen.results {
				w.Record.Results = nil
			}
		}
		rec.wanted = append(rec.wanted, w)
	}
	for _, l := range places {
		rec.wanted = append(rec.wanted, patch.Wanted{Func: l.Func, Line: l, Record: l.Record(trampoline.Record{})})
	}
	h.files = append(h.files, rec)
	report, err := h.want()
	if err != nil {
		h.files = slices.DeleteFunc(h.files, func(o *recording) bool { return o == rec })
		file.Close()
		return nil, c, err
	}
	c.Path = file.Path()
	if set == nil {
		c.Note = sayLines(report, places, notes)
	} else {
		c.Note = joined(append([]string{c.Note, h.say(report, set)}, append(notesOf(report, places), notes...)...)...)
	}
	return rec, c, nil
}

// splitLines returns which of targets are of functions, and which are lines.
func splitLines(all []string) (functions, lines []string) {
	for _, t := range all {
		if control.IsLine(t) {
			lines = append(lines, t)
		} else {
			functions = append(functions, t)
		}
	}
	return functions, lines
}

// chosen are values that the user wants to be recorded.
type chosen struct {
	args, results bool
	show          show
}

func parseSetting(key, value string) (setting.Value, error) {
	s := setting.Find(key)
	if s == nil {
		return setting.Value{}, &control.Error{Code: control.CodeRequest, Text: "unknown setting " + key}
	}
	v, err := s.Parse(key, value)
	if err != nil {
		return v, &control.Error{Code: control.CodeRequest, Text: err.Error()}
	}
	return v, nil
}

// settings sets what the user has chosen for a recording.
func settings(c *recorder.Config, text string) (values chosen, err error) {
	values.show = usualShow()
	err = setting.Each(text, func(_ int, key, value string) error {
		v, err := parseSetting(key, value)
		if err != nil {
			return err
		}
		switch key {
		case "buffers", "max-size", "rotate":
			c.Set(key, v)
		case "overflow":
			if value != "drop" {
				return &control.Error{Code: control.CodeRequest, Text: "a program that is patched drops events that find no room: want --overflow drop, or a program of waymark build"}
			}
		case "args":
			values.args = v.On()
		case "results":
			values.results = v.On()
		case "waiting", "objects", "budget", "window", "dump-at-exit":
			return needs("--" + key)
		default:
			values.show.set(key, v)
		}
		return nil
	})
	return values, err
}

// Next implements control.Task.
func (r *recording) Next() (n control.News) {
	switch {
	case !r.h.t.Alive():
		n.Done, n.Why = true, control.WhyEnded
	case r.Ended():
		n.Done, n.Why = true, "the recording has ended by itself, as it reached its size or failed"
	}
	return n
}

// Close implements control.Task: the functions are as they were, and all of their events are in the file.
func (r *recording) Close() error {
	h := r.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.files, r) {
		return nil
	}
	wanted := r.wanted
	r.wanted = nil
	_, err := h.want()
	h.flush()
	r.wanted = wanted
	h.files = slices.DeleteFunc(h.files, func(o *recording) bool { return o == r })
	if errors.Is(err, stopped.ErrGone) {
		err = nil
	}
	return errors.Join(r.Recording.Close(), err)
}
