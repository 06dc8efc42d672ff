package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// writeTable writes results as a table in Markdown, and what differs.
func writeTable(w io.Writer, list []*Result) {
	slices.SortFunc(list, func(a, b *Result) int { return strings.Compare(a.Suite.Module, b.Suite.Module) })
	fmt.Fprintln(w, "| Module | go test flags | Tests | Fail plain | Same | Flaky | Timing-sensitive | Different | Build, s: plain, traced | Run time, traced over plain |")
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
	writeDifferences(w, list)
}

// writeTimes writes results of suites that were traced by default: their outcomes, run times and what
// they took of the disk.
func writeTimes(w io.Writer, list []*Result) {
	slices.SortFunc(list, func(a, b *Result) int { return strings.Compare(a.Suite.Module, b.Suite.Module) })
	fmt.Fprintln(w, "| Module | go test flags | Tests | Same | Timing-sensitive | Different | Plain, s | Run time, traced over plain: median, worst | Disk, MB |")
	fmt.Fprintln(w, "|---|---|---:|---:|---:|---:|---:|---:|---:|")
	var medians []float64
	worst, disk, suites := 0.0, int64(0), 0
	for _, r := range list {
		if r.Trouble != "" {
			fmt.Fprintf(w, "| %s | %s | %s |\n", r.Suite.Module, r.flags(), r.Trouble)
			continue
		}
		if !r.recorded() {
			fmt.Fprintf(w, "| %s | %s | faults in the recordings: %+v |\n", r.Suite.Module, r.flags(), r.Recordings)
			continue
		}
		times := "-"
		if r.RunPlain >= longSuite {
			m, most := median(r.Ratios), slices.Max(r.Ratios)
			times = fmt.Sprintf("%.2f, %.2f", m, most)
			medians, worst = append(medians, m), max(worst, m)
		}
		bound, different := r.count(TimeBound), r.count(Differs)
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d | %.1f | %s | %d |\n", r.Suite.Module, r.flags(),
			r.Tests, r.Tests-bound-different, bound, different, r.RunPlain, times, r.Recordings.Disk/1e6)
		suites++
		disk = max(disk, r.Recordings.Disk)
	}
	fmt.Fprintf(w, "\n%d suites; %d of them run for %d s or more: %.2f times as long as plain in the median, %.2f times at worst. At most %d MB of disk at any moment.\n",
		suites, len(medians), longSuite, median(medians), worst, disk/1e6)
	writeDifferences(w, list)
}

// median returns the median; of an even number of values the greater of the two in the middle.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

// writeDifferences writes a line for each test that differs, unless the one that it is in does.
func writeDifferences(w io.Writer, list []*Result) {
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
