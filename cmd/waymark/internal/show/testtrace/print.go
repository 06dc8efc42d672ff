package testtrace

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/replay"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// Options say how much is printed.
type Options struct {
	Lines int    // for each test; 0 is no limit
	Depth int    // without calls that have as many callers; 0: as many as Lines allows
	More  string // how to see what was left out; %s stands for the test's name
	All   string // how to record the calls that were only counted; %s stands for the test, as -run takes it; "": not said

	Calls replay.Options
}

// leastDepth is the depth that a limit of lines always leaves of a tree: the test, its callees, and
// their callees. Of these, lines are left out.
const leastDepth = 3

// Print prints the calls of some tests in their order, subtests before the tests that
// they are of.
func (r *Recording) Print(w io.Writer, shown []*Test, o Options) error {
	shapes, err := r.shapes(shown)
	if err != nil {
		return err
	}
	shown = culprits(shown, shapes)
	end := recording.EndOf(r.file)
	scale := recording.ScaleOf(r.file)
	views := make(map[*Test]*view)
	for _, t := range shown {
		views[t] = newView(t, shapes[t], r.lacks(t), o, r.file, scale.Nanoseconds)
		views[t].counted = r.counted(t)
	}
	events := r.Events(shown)
	events.OnLog = func(t *Test, l Log) { views[t].log(l) }
	var ev tracefile.Event
	for events.Next(&ev) {
		views[events.Test()].add(&ev)
	}
	above := make(map[*Test]bool) // tests of which subtests are shown
	for _, t := range shown {
		for t = t.parent; t != nil && !above[t]; t = t.parent {
			above[t] = true
		}
	}
	for _, t := range depthFirst(shown) {
		v := views[t]
		if v.shape.calls() <= 1 && len(t.logs) == 0 && len(v.lacks.gaps) == 0 && above[t] {
			continue // all that it did was to run subtests, which are shown
		}
		if err := v.close(min(t.End, end)); err != nil {
			return err
		}
		r.masked = r.masked || v.printer.Masked()
		if err := r.printTest(w, v, units.Duration(scale.Nanoseconds(t.ticks(end))), o); err != nil {
			return err
		}
	}
	if err := events.Err(); err != nil || r.ambiguous == 0 {
		return err
	}
	_, err = fmt.Fprintf(w, "\nleft out: %s that began while several tests were running, and nothing tells whose\n",
		units.Things(uint64(r.ambiguous), "goroutine"))
	return err
}

// culprits returns those tests that were running when the program died and on whose goroutines a
// panic began. If there is no such test it returns all.
func culprits(shown []*Test, shapes map[*Test]*shape) []*Test {
	guilty := func(t *Test) bool { return t.Outcome == Unended && shapes[t].panic > 0 }
	if !slices.ContainsFunc(shown, guilty) {
		return shown
	}
	return slices.DeleteFunc(slices.Clone(shown), func(t *Test) bool { return t.Outcome == Unended && !guilty(t) })
}

// Masked reports whether a value has been printed that was not recorded because it looked like a
// secret.
func (r *Recording) Masked() bool { return r.masked }

func (r *Recording) printTest(w io.Writer, v *view, duration string, o Options) error {
	t := v.test
	name := strings.TrimSpace(r.Package + " " + t.Name)
	when := "after"
	if t.Outcome == Unended {
		when = "in"
	}
	if _, err := fmt.Fprintf(w, "\n=== %s %s %s %s\n", name, t.Outcome, when, duration); err != nil {
		return err
	}
	if v.shape.calls() == 0 && len(t.logs) == 0 && len(v.lacks.gaps) == 0 && len(v.counted.calls) == 0 {
		_, err := fmt.Fprintln(w, "    it called no traced function")
		return err
	}
	if err := v.lines.writeTo(w); err != nil {
		return err
	}
	if err := v.counted.writeTo(w, v.printer.Name); err != nil {
		return err
	}
	if o.All != "" && v.counted.left() {
		if _, err := fmt.Fprintf(w, "    all are recorded with %s\n", strings.ReplaceAll(o.All, "%s", quote(t.pattern()))); err != nil {
			return err
		}
	}
	var left []string
	if v.hidden > 0 {
		left = append(left, fmt.Sprintf("%s with %s", units.Things(v.hidden, "call"), v.depths))
	}
	if n := v.lines.left(); n > 0 {
		left = append(left, units.Things(n, "line"))
	}
	if n := v.lacks.events(); n > 0 {
		left = append(left, units.Things(n, "event")+" reclaimed")
	}
	if len(left) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "    left out: %s; see all with %s\n", strings.Join(left, ", "), strings.ReplaceAll(o.More, "%s", quote(t.Name)))
	return err
}

// pattern returns what the flag -run selects the test by, and no other.
func (t *Test) pattern() string {
	names := strings.Split(t.Name, "/")
	for i, n := range names {
		names[i] = "^" + regexp.QuoteMeta(n) + "$"
	}
	return strings.Join(names, "/")
}

// quote makes a test's name, or a pattern of names, a word for a shell.
func quote(name string) string {
	if strings.ContainsAny(name, " \t\n'\"\\$&|;<>()*?[]{}#~`!") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

// depthFirst puts subtests before the tests that they are of, and leaves the rest in order.
func depthFirst(tests []*Test) []*Test {
	children := make(map[*Test][]*Test)
	listed := make(map[*Test]bool)
	for _, t := range tests {
		listed[t] = true
	}
	var roots []*Test
	for _, t := range tests {
		p := t.parent
		for p != nil && !listed[p] {
			p = p.parent
		}
		if p == nil {
			roots = append(roots, t)
		} else {
			children[p] = append(children[p], t)
		}
	}
	var out []*Test
	var add func(list []*Test)
	add = func(list []*Test) {
		for _, t := range list {
			add(children[t])
			out = append(out, t)
		}
	}
	add(roots)
	return out
}
