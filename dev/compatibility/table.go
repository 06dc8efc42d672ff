package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// writeTable writes results as tables in Markdown: one line for each suite, and one
// for each test that differs, unless the one that it is in does.
func writeTable(w io.Writer, list []*Result) {
	slices.SortFunc(list, func(a, b *Result) int { return strings.Compare(a.Suite.Module, b.Suite.Module) })
	fmt.Fprintln(w, "| Module | go test flags | Tests | Fail plain | Same | Unsteady | Time-bound | Different | Build, s: plain, traced | Run time, traced over plain |")
	fmt.Fprintln(w, "|---|---|---:|---:|---:|---:|---:|---:|---|---:|")
	var total struct{ suites, tests, failed, same, unsteady, bound, different int }
	for _, r := range list {
		if r.Trouble != "" {
			fmt.Fprintf(w, "| %s | %s | %s |\n", r.Suite.Module, r.flags(), r.Trouble)
			continue
		}
		if !r.recorded() {
			fmt.Fprintf(w, "| %s | %s | faults in the recordings: %+v |\n", r.Suite.Module, r.flags(), r.Recordings)
			continue
		}
		unsteady, bound, different := r.count(Unsteady), r.count(TimeBound), r.count(Differs)
		same := r.Tests - bound - different
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d | %d | %d | %.0f, %.0f | %s |\n", r.Suite.Module, r.flags(),
			r.Tests, r.Failed, same, unsteady, bound, different, r.BuildPlain, r.Build, ratio(r.Run, r.RunPlain))
		total.suites++
		total.tests += r.Tests
		total.failed += r.Failed
		total.same += same
		total.unsteady += unsteady
		total.bound += bound
		total.different += different
	}
	fmt.Fprintf(w, "| **%d suites** | | %d | %d | %d | %d | %d | %d | | |\n",
		total.suites, total.tests, total.failed, total.same, total.unsteady, total.bound, total.different)
	fmt.Fprintln(w)
	for _, r := range list {
		for _, d := range r.Differences {
			inTop := d.Test != d.top() && slices.ContainsFunc(r.Differences, func(o *Difference) bool { return o.Test == d.top() && o.Kind == d.Kind })
			if d.Kind != Unsteady && !inTop {
				fmt.Fprintf(w, "* %s %s: %s", d.Package, d.Name, d.Kind)
				if d.Slow > 0 {
					fmt.Fprintf(w, ": fails plain, too, when %.0f times slower", d.Slow)
				}
				fmt.Fprintln(w)
			}
		}
	}
}

// flags returns what the suite was tested with besides its packages.
func (r *Result) flags() string {
	words := slices.Concat(r.Suite.Env, r.Suite.Flags)
	if r.Race {
		words = append(words, "-race")
	}
	if p := strings.Join(r.Suite.Packages, " "); p != "./..." {
		words = append(words, p)
	}
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.ReplaceAll(strings.Join(words, " "), "|", `\|`) + "`"
}

// ratio returns a over b, unless b is too short to tell.
func ratio(a, b float64) string {
	if b < 0.1 {
		return "-"
	}
	return fmt.Sprintf("%.1f", a/b)
}
