//go:build linux && amd64

// Package host answers the requests of waymark's commands for a program that doesn't listen. It patches functions, and
// answers from their events.
//
//	conn, err := host.Connect(4711)
//
// It stands in the command for what package agent is in programs that waymark builds.
package host

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/stopped"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

// A host is a program whose functions can be patched.
type host struct {
	t      *patch.Target
	names  []pattern.Func
	funcs  []*image.Func // by index of names
	began  time.Time
	follow *patch.Follower

	values *values // nil: not wanted yet

	findInlined sync.Once
	inlined     []inlined

	mu     sync.Mutex
	tasks  []watcher
	files  []*recording
	ending bool      // events of chunks that aren't full are wanted, too
	looked time.Time // when chunks that weren't full were, last
	scale  scale
	tick   float64 // ns, as far as that is known when calls are told
	quit   chan struct{}
	ended  chan struct{}
}

// A watcher is a task that wants functions patched and is told of their calls.
type watcher interface {
	control.Costly
	base() *task
	wants() []patch.Wanted
	begin(*patch.Call)
	end(*patch.Call)
}

// A follower is a watcher that is told of goroutines, too.
type follower interface {
	spawn(goroutine, child uint64) // goroutine starts child
	over(goroutine uint64)         // it has ended
}

// idle is how long the host sleeps when there were no events.
const idle = time.Millisecond

// lookEvery is how often events of chunks that aren't full are recorded where they have values: types of what interfaces
// hold are asked of the process.
const lookEvery = 100 * time.Millisecond

func newHost(t *patch.Target) *host {
	h := &host{t: t, began: time.Now(), scale: newScale(), follow: t.Follow(), quit: make(chan struct{}), ended: make(chan struct{})}
	for _, f := range t.Image.Funcs {
		if f.Runtime() || f.Wrapper() || f.Assembly() || f.InChild() || strings.HasPrefix(f.Name, "type:") {
			continue
		}
		path := f.Package()
		if path == "main" {
			path = t.Image.Main
		}
		name := pattern.FromRuntime(path, patch.NameOf(f.Name))
		name.Dir = filepath.Dir(f.File())
		h.names, h.funcs = append(h.names, name), append(h.funcs, f)
	}
	h.follow.Begin = func(c *patch.Call) {
		for _, w := range h.tasks {
			w.base().sees(c)
			w.begin(c)
		}
	}
	h.follow.End = func(c *patch.Call) {
		for _, w := range h.tasks {
			w.end(c)
		}
	}
	h.follow.Hit = func(c *patch.Call) {
		for _, w := range h.tasks {
			if h, ok := w.(hitter); ok {
				w.base().seen.Add(1)
				h.hit(c)
			}
		}
	}
	h.follow.Spawn = func(goroutine, child uint64) {
		for _, w := range h.tasks {
			if w, ok := w.(follower); ok {
				w.spawn(goroutine, child)
			}
		}
	}
	h.follow.Over = func(goroutine uint64) {
		for _, w := range h.tasks {
			if w, ok := w.(follower); ok {
				w.over(goroutine)
			}
		}
	}
	go h.loop()
	return h
}

// loop takes events from the program until the host is closed.
func (h *host) loop() {
	defer close(h.ended)
	for {
		select {
		case <-h.quit:
			return
		default:
		}
		if !h.round() {
			time.Sleep(idle)
		}
	}
}

// round takes the events that there are, and reports whether there were some.
func (h *host) round() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.deliver()
}

// deliver is round for who has the lock.
func (h *host) deliver() bool {
	until, _ := patch.Clock()
	all := len(h.tasks) > 0 || h.ending
	if now := time.Now(); !all && h.values != nil && now.Sub(h.looked) > lookEvery {
		all, h.looked = true, now
	}
	h.tick = h.scale.tick()
	some, until := h.t.Drain(all, until, func(p *patch.Part) {
		for _, f := range h.files {
			f.Add(p)
		}
		if len(h.tasks) > 0 {
			h.follow.Add(p)
		}
	})
	h.follow.Tell(until)
	return some
}

// flush takes the events that were made until now. The program may make more meanwhile.
func (h *host) flush() {
	const rounds = 200 // of some chunks of each P
	h.ending = true
	for n := 0; n < rounds && h.deliver(); n++ {
	}
	h.ending = false
}

// close undoes all that was changed in the program.
func (h *host) close() error {
	close(h.quit)
	<-h.ended
	return h.t.Close()
}

// compile compiles targets, those of the main module if there are none.
func (h *host) compile(targets []string) (*pattern.Set, error) {
	if len(targets) == 0 {
		targets = h.usual()
	}
	set, err := pattern.CompileSet(targets, "")
	if err != nil {
		return nil, &control.Error{Code: control.CodeTarget, Text: err.Error()}
	}
	packages := make(map[string]bool)
	var list []pattern.Package
	for _, n := range h.names {
		if !packages[n.Package] {
			packages[n.Package] = true
			list = append(list, pattern.Package{Path: n.Package})
		}
	}
	set.Resolve(list)
	return set, nil
}

// matching returns the functions that targets name.
func (h *host) matching(targets []string) ([]*image.Func, *pattern.Set, error) {
	set, err := h.compile(targets)
	if err != nil {
		return nil, nil, err
	}
	var found []*image.Func
	for i, n := range h.names {
		if in, _ := set.Match(n); in {
			found = append(found, h.funcs[i])
		}
	}
	return found, set, nil
}

// usual are the targets if the user names none: the packages of the main module.
func (h *host) usual() []string {
	if m := h.t.Image.Module; m != "" && m != "command-line-arguments" {
		return []string{m + "/..."}
	}
	return []string{h.t.Image.Main}
}

// Find implements control.Host.
func (h *host) Find(targets []string) (c control.Change, err error) {
	found, set, err := h.matching(targets)
	if err != nil {
		return c, err
	}
	packages := make(map[string]bool)
	for _, f := range found {
		packages[f.Package()] = true
	}
	c.Functions, c.Packages = len(found), len(packages)
	if len(targets) == 0 {
		return c, nil
	}
	c.Note, err = h.check(set, len(found) > 0, false)
	return c, err
}

// check returns an error if patterns of a set name several things, or if all name no function. A
// pattern that names none beside others that do is a note. With inlined those are enough that are
// inlined wherever they are called.
func (h *host) check(set *pattern.Set, found, inlined bool) (note string, err error) {
	errs := set.Ambiguous()
	var lacking []string
	for _, p := range set.Unmatched() {
		if strings.HasPrefix(p, "@") {
			lacking = append(lacking, p+": groups are known in programs that waymark has built only")
			continue
		}
		if one, err := h.compile([]string{p}); err == nil && len(h.inlinedOf(one)) > 0 {
			if !inlined {
				lacking = append(lacking, fmt.Sprintf("%s names functions that the compiler has inlined wherever they are called: waymark status --inlined %d %s lists them", p, h.t.PID(), pattern.Quote(p)))
			}
			continue
		}
		var known []string
		for _, n := range h.names {
			known = append(known, n.Names()...)
		}
		const most = 10
		lacking = append(lacking, fmt.Sprintf("%s names no function of the program%s", p, h.absent(p)+pattern.IsIt(p, known, most)))
	}
	if found && len(errs) == 0 {
		return strings.Join(lacking, "; "), nil
	}
	for _, text := range lacking {
		errs = append(errs, errors.New(text))
	}
	if len(errs) > 0 {
		return "", &control.Error{Code: control.CodeTarget, Text: errors.Join(errs...).Error()}
	}
	return "", nil
}

// absent says why a pattern's function is not there though its package is, "" if that isn't known.
func (h *host) absent(p string) string {
	path, _ := names.Split(p)
	switch in := func(n pattern.Func) bool { return n.Package == path }; {
	case image.IsRuntime(cmp.Or(path, strings.TrimSuffix(p, "/..."))):
		return ": the runtime is never traced, as calls are recorded with its help"
	case path != "main" && slices.ContainsFunc(h.names, in):
		return ": the linker leaves out functions that nothing uses"
	}
	return ""
}

// want patches what tasks and recordings want.
func (h *host) want() (*patch.Report, error) {
	var list []patch.Wanted
	type place struct {
		f *image.Func
		l *patch.Line
	}
	known := make(map[place]int)
	add := func(w patch.Wanted) {
		i, ok := known[place{w.Func, w.Line}]
		if !ok {
			known[place{w.Func, w.Line}] = len(list)
			list = append(list, w)
			return
		}
		r := &list[i].Record
		r.Count = r.Count && w.Record.Count // who is told of calls counts them, too
		r.Callers = max(r.Callers, w.Record.Callers)
		r.Args, r.Results = cmp.Or(r.Args, w.Record.Args), cmp.Or(r.Results, w.Record.Results) // they are the same for all
	}
	for _, w := range h.tasks {
		for _, one := range w.wants() {
			add(one)
		}
	}
	for _, r := range h.files {
		for _, w := range r.wanted {
			add(w)
		}
	}
	for i := range list {
		if w := &list[i]; w.Line == nil && !w.Record.Count {
			w.Record.Failure = h.t.Failure(w.Func)
		}
	}
	slices.SortStableFunc(list, func(a, b patch.Wanted) int { return strings.Compare(a.Func.Package(), b.Func.Package()) })
	report, err := h.t.Want(list)
	if err != nil {
		return nil, err
	}
	if report.Dropped { // after their last events
		h.flush()
		h.follow.Drop()
	}
	for _, f := range h.files {
		f.Know()
	}
	if len(list) > 0 && report.Functions == 0 {
		return nil, &control.Error{Code: control.CodeTarget, Text: "none of the functions can be patched: " + why(report)}
	}
	return report, nil
}

// why says of some functions why they can't be patched.
func why(r *patch.Report) string {
	list := refused(r)
	for _, l := range r.Overlaps {
		list = append(list, l.String()+": its code is patched for another line, or for the function")
	}
	for _, f := range r.Deferred {
		list = append(list, patch.NameOf(f.Name)+": it was being entered or left just then, try again")
	}
	return listed(list, 10)
}

// refused returns the functions that can't be patched, and why.
func refused(r *patch.Report) (list []string) {
	for f, err := range r.Refused {
		list = append(list, patch.NameOf(f.Name)+": "+err.Error())
	}
	return list
}

// listed returns some of a list, in order, and how many there are more.
func listed(list []string, most int) string {
	slices.Sort(list)
	if n := len(list); n > most {
		list = append(list[:most], fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(list, ", ")
}

// say returns what the user should know of what was patched for a set of patterns.
func (h *host) say(r *patch.Report, set *pattern.Set) string {
	text := fmt.Sprintf("patched %s, stopped for %s", units.Things(uint64(r.Functions), "function"), r.Stopped.Round(10*time.Microsecond))
	if n := uint64(len(r.Refused)); n > 0 {
		text += "; " + units.Things(n, "function") + " can't be patched: " + listed(refused(r), 3)
	}
	if len(r.Lost) > 0 {
		text += fmt.Sprintf("; goroutines and panics are not seen as they are: another program has changed %s", strings.Join(r.Lost, ", "))
	}
	if !h.t.HasDWARF() {
		text += "; errors that calls return are not seen: the program has no DWARF"
	}
	if n := uint64(len(r.Deferred)); n > 0 {
		text += "; " + units.Things(n, "function") + " could not be patched just then, and are not seen"
	}
	if n := uint64(len(r.Overlaps)); n > 0 {
		text += "; " + units.Things(n, "line") + " that are watched are not seen any more: the functions' own patches are there"
	}
	text += notSeen(h.inlinedOf(set))
	if !patch.Steady() {
		text += "; the kernel doesn't vouch for the time stamp counter here: times of calls that changed the CPU may be wrong"
	}
	return text
}

// joined returns the notes that there are as one text.
func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), "; ")
}

// start has a task told of calls, from when its functions are patched. It is for who has the lock.
func (h *host) start(w watcher) (*patch.Report, error) {
	w.base().self = w
	h.tasks = append(h.tasks, w)
	report, err := h.want()
	if err != nil {
		h.drop(w)
	}
	return report, err
}

func (h *host) drop(w watcher) {
	h.tasks = slices.DeleteFunc(h.tasks, func(o watcher) bool { return o == w })
}

// drops returns the calls that there was no room for.
func (h *host) drops() map[*patch.Site]uint64 {
	drops, _ := h.behind()
	return drops
}

// behind returns the calls that were lost, and those that wait to be told to the only task: programs may make them faster
// than they are told. With several tasks nobody knows yet whose they are.
func (h *host) behind() (drops map[*patch.Site]uint64, waiting uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.tasks) == 1 && len(h.files) == 0 {
		waiting = h.t.Waiting() / 2 // of two events each
	}
	return h.t.Drops(), waiting
}

// stop ends a task.
func (h *host) stop(w watcher) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.base().paused = false
	if !slices.Contains(h.tasks, w) {
		return nil
	}
	h.drop(w)
	if _, err := h.want(); err != nil && !errors.Is(err, stopped.ErrGone) {
		return err
	}
	return nil
}

// CPU implements control.Host.
func (h *host) CPU() time.Duration { return stopped.CPU(h.t.PID()) }

// Watch implements control.Host.
func (h *host) Watch(targets []string, w control.Watch) (control.Task, control.Change, error) {
	if w.Kind == control.KindSamples {
		return h.sample(w)
	}
	if len(w.Probes) > 0 {
		return nil, control.Change{}, &control.Error{Code: control.CodeRequest, Text: "probes are watched in a program of waymark build only"}
	}
	if len(targets) == 0 && w.Kind != control.KindSums {
		return nil, control.Change{}, &control.Error{Code: control.CodeRequest, Text: "no function: want a pattern"}
	}
	if slices.ContainsFunc(targets, control.IsLine) {
		return h.watchLines(targets, w)
	}
	c, err := h.Find(targets)
	if err != nil {
		return nil, c, err
	}
	found, set, err := h.matching(targets)
	if err != nil {
		return nil, c, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	task, err := h.newTask(found, w)
	if err != nil {
		return nil, c, err
	}
	report, err := h.start(task)
	if err == nil {
		c.Note = joined(c.Note, h.say(report, set))
		if h.values != nil && w.Values != "" {
			c.Note = joined(append([]string{c.Note}, h.values.notes...)...)
		}
		if w.Kind == control.KindCalls && !w.Bare && h.values != nil && h.values.err != nil {
			c.Note += "; arguments and results are not seen: " + h.values.err.Error()
		}
	}
	return task, c, err
}

// Status implements control.Host.
func (h *host) Status() control.Status {
	s := control.Status{PID: h.t.PID(), Program: h.t.Program, UptimeNS: int64(stopped.Uptime(h.t.PID())), Functions: len(h.funcs), Groups: []string{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.files) > 0 {
		s.Recording = h.files[0].Path()
	}
	if n, err := h.t.Differences(); err == nil {
		s.Patched = &control.Patched{Functions: h.t.Patched(), Bytes: n, Restored: h.t.Restored}
	}
	return s
}

// List implements control.Host.
func (h *host) List(targets []string) (*control.List, error) {
	const most = 5000
	l := new(control.List)
	if len(targets) == 0 {
		set, err := h.compile(nil)
		if err != nil {
			return nil, err
		}
		l.Inlined, l.More = few(h.inlinedOf(set))
		counts := make(map[string]int)
		for _, n := range h.names {
			counts[n.Package]++
		}
		for name, n := range counts {
			l.Packages = append(l.Packages, control.Listed{Name: name, Functions: n})
		}
		slices.SortFunc(l.Packages, func(a, b control.Listed) int { return strings.Compare(a.Name, b.Name) })
		if n := len(l.Packages); n > most {
			l.Packages, l.Omitted = l.Packages[:most], n-most
		}
		return l, nil
	}
	found, set, err := h.matching(targets)
	if err != nil {
		return nil, err
	}
	l.Inlined, l.More = few(h.inlinedOf(set))
	if _, err := h.check(set, len(found) > 0, true); err != nil {
		return nil, err
	}
	for _, f := range found {
		l.Functions = append(l.Functions, patch.NameOf(f.Name))
	}
	slices.Sort(l.Functions)
	l.Functions = slices.Compact(l.Functions)
	if n := len(l.Functions); n > most {
		l.Functions, l.Omitted = l.Functions[:most], n-most
	}
	return l, nil
}

// needs is the error of what only programs can do that waymark has built.
func needs(what string) error {
	return &control.Error{Code: control.CodeState, Text: "the program was not built by waymark, and is patched: " + what + " needs a program of waymark build"}
}

// Dump implements control.Host.
func (h *host) Dump() (string, error) { return "", needs("a dump") }

// See implements control.Host.
func (h *host) See(string) (control.Change, error) { return control.Change{}, needs("seen") }

// Unsee implements control.Host.
func (h *host) Unsee() {}

// Calls implements control.Host.
func (h *host) Calls(control.Query) (*control.Kept, error) { return nil, needs("to keep calls") }

// Forget implements control.Host.
func (h *host) Forget() {}

// Resume implements control.Host.
func (h *host) Resume() error { return needs("resume") }

// Audit implements control.Host.
func (h *host) Audit(control.Request, control.Change, string) {}

// Join implements control.Host.
func (h *host) Join() control.Owner { return owner{} }

// An owner has nothing on: that would end with this process.
type owner struct{}

// Set implements control.Owner.
func (owner) Set(on []control.On) error {
	if len(on) > 0 {
		return needs("on")
	}
	return nil
}
