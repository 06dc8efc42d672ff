package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// A missed knows which filters let nothing through, see filterFlags.
type missed func(set *tracefile.Set, r *report.Report) (notes []string, err error)

// missed returns a line for each pattern and goroutine id that the recordings lack, with the
// nearest that they have. If calls is 0, nothing is shown, and missed returns an error that says
// so. longest returns the duration in ns that --min was compared with; nil if it is not known.
func (f *filterFlags) missed(set *tracefile.Set, calls uint64, what shows, longest func() (ns int64, err error)) (notes []string, err error) {
	all := f.matchSites(set)
	for _, list := range []struct {
		name     string
		patterns *pattern.Set
	}{{"include", f.included}, {"exclude", f.excluded}, {"without", f.unaccounted}} {
		// A file's are often those of the build, which then leaves nothing to exclude.
		if list.name == "exclude" && config.From(f.set.Lookup("exclude")) != "" {
			continue
		}
		for _, p := range list.patterns.Unmatched() {
			notes = append(notes, "--"+list.name+" "+p+" matches no function of the recording"+near(p, all, absentOf(set)))
		}
	}
	for _, w := range f.goroutines {
		if !w.found {
			notes = append(notes, fmt.Sprintf("--goroutine %v: there is none%s", w.GoroutineID, w.near()))
		}
	}
	if f.only.If != nil {
		notes = append(notes, f.only.If.Notes()...)
	}
	for _, m := range []*matcher{&f.root, &f.callers} {
		if m.set != nil && !m.matched {
			return notes, fmt.Errorf("pattern %s matches no function that was called%s", m.pattern, near(m.pattern, all, absentOf(set)))
		}
	}
	if calls > 0 {
		return notes, nil
	}
	var given []string
	f.set.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "include", "exclude", "without", "without-shorter", "goroutine", "time", "min", "depth", "root", "callers", "if", "failed":
			given = append(given, "--"+flag.Name)
		}
	})
	if len(given) == 0 {
		return notes, nil // there was none before
	}
	if f.min > 0 {
		ns := int64(0)
		if longest != nil {
			ns, err = longest()
		}
		if ns > 0 {
			notes = append(notes, fmt.Sprintf("--min %v: %s %s", f.min, what.longest, units.Duration(ns)))
		}
	}
	return notes, errors.Join(err, fmt.Errorf("no %s is left by %s", cmp.Or(what.thing, "call"), strings.Join(given, ", ")))
}

// longest returns the duration in ns of the longest call that Follow finds without --min. It reads
// the recordings once more.
func (f *filterFlags) longest(set *tracefile.Set) (ns int64, err error) {
	others := f.only
	others.Min = 0
	_, err = others.Follow(set, func(p *recording.Process) recording.Follower {
		return recording.Follower{
			Enter: func(*calltree.Call) {},
			Call:  func(c *calltree.Call) { ns = max(ns, p.Scale.Nanoseconds(c.End-c.Began)) },
		}
	})
	return ns, err
}

// leftOut returns what is left out of the program of a set; of several programs, of the one that leaves
// most out.
func leftOut(set *tracefile.Set) (most function.LeftOut) {
	for _, p := range set.Processes {
		if l := p.LeftOut(); l.Functions > most.Functions {
			most = l
		}
	}
	return most
}

// An absent says what is left out of programs, and of which functions tiny ones are part.
type absent struct {
	function.LeftOut
	callers []function.Func
}

// absentOf returns what is left out of the programs of a set.
func absentOf(set *tracefile.Set) absent {
	out := absent{LeftOut: leftOut(set)}
	for _, p := range set.Processes {
		p.Funcs(func(_ uint32, f tracefile.Func) bool {
			if len(f.Tiny) > 0 {
				out.callers = append(out.callers, f.Func)
			}
			return true
		})
	}
	return out
}

// A tinyFunc is a tiny function that is left out.
type tinyFunc struct {
	pattern.Func
	full   string // as runtime.FuncForPC returns it
	caller string // "" if it is not known
}

// tiny returns the tiny functions, those first whose callers are known.
func (a *absent) tiny() (list []tinyFunc) {
	for i := range a.callers {
		f := &a.callers[i]
		for _, name := range f.Tiny {
			list = append(list, tinyFunc{pattern.FromRuntime(f.Package, name), name, f.Name})
		}
	}
	for _, name := range a.Tiny {
		path, _ := names.Split(name)
		list = append(list, tinyFunc{Func: pattern.FromRuntime(path, name), full: name})
	}
	return list
}

// tinyMatch returns a tiny function that a pattern matches, nil if there is none, and the pattern that
// includes it.
func tinyMatch(list []tinyFunc, text string) (f *tinyFunc, include string) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, ""
	}
	set, err := pattern.CompileSet([]string{text}, dir)
	if err != nil {
		return nil, ""
	}
	var packages []pattern.Package
	for i := range list {
		packages = append(packages, pattern.Package{Path: list[i].Package})
	}
	slices.SortFunc(packages, func(a, b pattern.Package) int { return strings.Compare(a.Path, b.Path) })
	set.Resolve(slices.CompactFunc(packages, func(a, b pattern.Package) bool { return a.Path == b.Path }))
	for i := range list {
		_, local := names.Split(list[i].full)
		switch in, _ := set.Match(list[i].Func); {
		case in:
			return &list[i], text
		case local == text:
			return &list[i], list[i].full
		}
	}
	return nil, ""
}

// literals are names of function literals.
var literals = regexp.MustCompile(`\.func[0-9]+`)

// near returns a hint for a pattern that matches none of the names. It says that the pattern
// matches a function that is left out, or asks whether the user meant one of the nearest names.
func near(text string, names []string, left absent) string {
	tiny := left.tiny()
	if f, include := tinyMatch(tiny, text); f != nil {
		part := ""
		if f.caller != "" {
			part = " runs as a part of " + f.caller + ","
		}
		return fmt.Sprintf(": %s is tiny,%s and was left out when the program was built; --include '%s' adds it, --all adds all", f.full, part, include)
	}
	if left.Literals > 0 && literals.MatchString(text) {
		return ": function literals were left out when the program was built; --closures adds them"
	}
	hint := isIt(text, names)
	if hint == "" {
		var left []string
		for i := range tiny {
			left = append(left, tiny[i].Names()...)
		}
		if nearest := pattern.Nearest(text, left, 1); len(nearest) > 0 {
			hint = fmt.Sprintf("; is it %s? It is tiny, and was left out when the program was built: --include '%s' adds it", nearest[0], nearest[0])
		}
	}
	return hint
}

// isIt asks whether the user meant one of the nearest names, if there are any.
func isIt(text string, names []string) string { return pattern.IsIt(text, names, 3) }

// A wantedGoroutine is one of --goroutine.
type wantedGoroutine struct {
	recording.GoroutineID
	found        bool
	below, above recording.GoroutineID // the nearest ones that there are in the process
	process      string                // one that there is
}

// wanted reports whether a goroutine was asked for.
func (f *filterFlags) wanted(g recording.GoroutineID) bool {
	ok := false
	for _, w := range f.goroutines {
		w.process = g.Process
		switch {
		case w.Process != "" && w.Process != g.Process:
		case g.ID == w.ID:
			w.found, ok = true, true
		case g.ID < w.ID && g.ID > w.below.ID:
			w.below = recording.GoroutineID{Process: w.Process, ID: g.ID}
		case g.ID > w.ID && (w.above.ID == 0 || g.ID < w.above.ID):
			w.above = recording.GoroutineID{Process: w.Process, ID: g.ID}
		}
	}
	return ok
}

// near names the nearest goroutines, or the nearest process if the process is wrong.
func (w *wantedGoroutine) near() string {
	var near []string
	for _, g := range []recording.GoroutineID{w.below, w.above} {
		if g.ID > 0 {
			near = append(near, g.String())
		}
	}
	switch {
	case len(near) > 0:
		return "; is it " + strings.Join(near, " or ") + "?"
	case w.process != "":
		return "; there is the process " + w.process
	}
	return ""
}
