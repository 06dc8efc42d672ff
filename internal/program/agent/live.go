package agent

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/inspect"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/text/names"
)

// loaded is when the program began.
var loaded = time.Now()

// live is the program that commands look into.
type live struct {
	program string
	kept    inspect.Kept
}

func (l *live) Status() control.Status {
	s := control.Status{PID: os.Getpid(), Program: l.program, UptimeNS: int64(time.Since(loaded)), Groups: []string{}, Kept: l.kept.Len()}
	for _, t := range switchboard.Default.Tables() {
		for _, f := range t.Funcs() {
			if !f.Marker {
				s.Functions++
			}
		}
	}
	for _, g := range switchboard.Default.Groups() {
		if g.Name != "" && !slices.Contains(s.Groups, g.Name) {
			s.Groups = append(s.Groups, g.Name)
		}
		if g.Name != "" && len(g.Subgroups) > 0 {
			if s.Subgroups == nil {
				s.Subgroups = make(map[string][]string)
			}
			s.Subgroups[g.Name] = g.Subgroups
		}
	}
	slices.Sort(s.Groups)
	s.Suspended = suspension.on.Load()
	if r := current.Load(); r != nil && !r.ended() {
		s.Recording = r.Path()
	}
	s.Seen = noting.wanted()
	return s
}

// compile reads targets as patterns of the program's functions.
func compile(targets []string) (*pattern.Set, error) {
	set, err := pattern.CompileSet(targets, "")
	if err != nil {
		return nil, &control.Error{Code: control.CodeTarget, Text: err.Error()}
	}
	var packages []pattern.Package
	for _, t := range switchboard.Default.Tables() {
		if list := t.Funcs(); len(list) > 0 {
			packages = append(packages, pattern.Package{Path: list[0].Package})
		}
	}
	set.Resolve(packages)
	if suspension.on.Load() { // packages come later
		set.Loosen()
	}
	return set, nil
}

// selected returns what targets name: by groups, if they are groups only, as policies want it.
func selected(targets []string) (switchboard.Selection, error) {
	groups, others := groupNames(targets)
	if len(others) == 0 && len(groups) > 0 {
		return switchboard.Selection{Groups: groups}, nil
	}
	set, err := compile(targets)
	if err != nil || len(targets) == 0 {
		return switchboard.Selection{}, err
	}
	return switchboard.Selection{Has: func(f *function.Func) bool { in, _ := set.Match(pattern.Of(f)); return in }}, nil
}

func (l *live) Find(targets []string) (c control.Change, err error) {
	set, err := compile(targets)
	if err != nil {
		return c, err
	}
	if suspension.on.Load() { // nobody knows yet what there will be
		return c, nil
	}
	all := set.Empty()
	var names []string
	packages := make(map[string]bool)
	for _, f := range switchboard.Default.Funcs(switchboard.Selection{}) {
		name := pattern.Of(f)
		if in, _ := set.Match(name); in || all {
			c.Functions++
			packages[f.Package] = true
		}
		names = append(names, name.Names()...)
	}
	c.Packages = len(packages)
	errs := set.Ambiguous()
	onlyNote := c.Functions > 0 && len(errs) == 0 // other targets name functions
	var lacking []control.Lack
	for _, p := range set.Unmatched() {
		if strings.HasPrefix(p, "@") {
			errs = append(errs, fmt.Errorf("%s: %s", p, pattern.NoGroup(p, names)))
			continue
		}
		text := p + " names no function that was instrumented"
		if name, caller := tiny(p); name != "" {
			text += fmt.Sprintf(": %s is tiny, and runs as a part of %s; build the program with waymark build --include '%s'", name, caller, p)
		} else {
			near := pattern.IsIt(p, names, mostNear)
			lacking = append(lacking, control.Lack{Target: p, Near: near != ""})
			if text += near; near == "" {
				text += "; build the program with waymark build --include '" + p + "'"
			}
		}
		errs = append(errs, errors.New(text))
	}
	if err := errors.Join(errs...); err != nil && onlyNote {
		c.Note = strings.ReplaceAll(err.Error(), "\n", "; ")
	} else if err != nil {
		return control.Change{}, &control.TargetError{Err: control.Error{Code: control.CodeTarget, Text: err.Error()}, Lacking: lacking}
	}
	return c, nil
}

// mostNear is how many functions are named for one that the program hasn't.
const mostNear = 10

// tiny returns a tiny function that a pattern names and that was left out, and a function that it
// runs as a part of. It returns "" if the program knows none.
func tiny(text string) (name, caller string) {
	set, err := compile([]string{text})
	if err != nil {
		return "", ""
	}
	for _, f := range switchboard.Default.Funcs(switchboard.Selection{}) {
		for _, name := range f.Tiny {
			if in, _ := set.Match(pattern.FromRuntime(f.Package, name)); in {
				return name, f.Name
			}
		}
	}
	for _, name := range switchboard.Default.LeftOut().Tiny {
		path, local := names.Split(name)
		if in, _ := set.Match(pattern.FromRuntime(path, name)); in || local == text {
			return name, "its callers"
		}
	}
	return "", ""
}

func (l *live) CPU() time.Duration { return time.Duration(cputime.Process()) }

func (l *live) Audit(r control.Request, c control.Change, peer string) {
	targets := r.Targets
	if r.Watch != nil {
		targets = append(slices.Clip(targets), r.Watch.Probes...)
	}
	slog.Info("waymark: control", "do", r.Do, "targets", strings.Join(targets, " "), "monitor", r.Monitor,
		"functions", c.Functions, "keep", r.Keep, "peer", peer)
}

func (l *live) Watch(targets []string, w control.Watch) (control.Task, control.Change, error) {
	if w.Values != "" { // they may ask for more to be masked
		return nil, control.Change{}, &control.Error{Code: control.CodeRequest, Text: "how much values show was fixed when waymark built the program"}
	}
	if len(targets) == 0 && len(w.Probes) > 0 {
		task, err := inspect.Watch(inspect.NoFunctions, "", w, &l.kept)
		return task, control.Change{}, err
	}
	if len(targets) == 0 && w.Kind != control.KindSums && w.Kind != control.KindSamples {
		return nil, control.Change{}, &control.Error{Code: control.CodeRequest, Text: "no function: want a pattern, or a group as @NAME"}
	}
	c, err := l.Find(targets)
	if err != nil {
		return nil, c, err
	}
	chosen, err := selected(targets)
	if err != nil {
		return nil, c, err
	}
	note, err := inspect.Check(chosen, w)
	if err != nil {
		return nil, c, err
	}
	c.Note = strings.Trim(c.Note+"; "+note, "; ")
	chooseClock()
	task, err := inspect.Watch(chosen, strings.Join(targets, ", "), w, &l.kept)
	return task, c, err
}

// liveRecording is a recording that a command has begun.
type liveRecording struct{ *Recording }

// Next says whether the recording has ended by itself.
func (r liveRecording) Next() (n control.News) {
	if r.ended() {
		n.Done, n.Why = true, "the recording has ended by itself, as it reached its size or failed"
	}
	return n
}

func (l *live) Record(r control.Request) (control.Task, control.Change, error) {
	c, err := l.Find(r.Targets)
	if err != nil {
		return nil, c, err
	}
	wish := switchboard.Wish{Want: rt.Recorded, Kind: "Record", Narrow: len(r.Targets) == 0}
	if wish.Select, err = selected(r.Targets); err != nil {
		return nil, c, err
	}
	if !filepath.IsAbs(r.Path) {
		return nil, c, &control.Error{Code: control.CodeRequest, Text: "a recording wants an absolute path"}
	}
	owner := switchboard.Default.Join("Record", switchboard.Command)
	if err := owner.Check(wish); err != nil {
		return nil, c, inspect.Refused(err)
	}
	file, err := record(strings.ReplaceAll(r.Path, "%", "%%"), r.Settings, owner, wish)
	if errors.Is(err, fault.ErrRecording) {
		err = &control.Error{Code: control.CodeState, Text: err.Error()}
	}
	if err != nil {
		return nil, c, err
	}
	c.Path = file.Path()
	return liveRecording{file}, c, nil
}

// See begins to note first calls, of all functions, in the file at path, if they aren't noted already.
func (l *live) See(path string) (c control.Change, err error) {
	if !filepath.IsAbs(path) {
		return c, &control.Error{Code: control.CodeRequest, Text: "the file of functions that were called wants an absolute path"}
	}
	if c, err = l.Find(nil); err != nil {
		return c, err
	}
	c.Path, err = noting.want(path)
	return c, err
}

func (l *live) Unsee() { noting.leave() }

func (l *live) Calls(q control.Query) (*control.Kept, error) { return l.kept.Find(q) }

func (l *live) Forget() { l.kept.Forget() }

func (l *live) Dump() (path string, err error) { return public{}.Dump() }
