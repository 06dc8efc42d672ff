package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/table"
)

// writeTables writes everything as Markdown.
func writeTables(w io.Writer, all []*outcome, rounds int) error {
	fmt.Fprintf(w, "%s\n%d rounds. Times are medians; what stands behind one is the median of the ratios or differences to plain.\n\n",
		table.Machine(), rounds)
	if err := writeBuilds(w, all); err != nil {
		return err
	}
	return writeRuns(w, all)
}

func writeBuilds(w io.Writer, all []*outcome) error {
	bars := map[string]string{buildCold: "<= 1.5 x", buildSame: "<= +0.3 s", buildChanged: "<= +0.5 s"}
	var rows [][]string
	for _, o := range all {
		for _, step := range []string{buildCold, buildFirst, buildSame, buildChanged} {
			if len(o.seconds(step, plainBuild)) == 0 {
				continue
			}
			row := []string{o.subject, step, fmt.Sprintf("%.2f s", measure.Median(o.seconds(step, plainBuild)))}
			for _, variant := range []string{plainAgain, traced} {
				ratio, difference := o.overPlain(step, variant)
				row = append(row, fmt.Sprintf("%.2f s (%.2f x, %+.2f s)", measure.Median(o.seconds(step, variant)), ratio, difference))
			}
			bar, ok := bars[step]
			if !ok {
				bar = "-"
			}
			rows = append(rows, append(row, bar))
		}
	}
	fmt.Fprint(w, "### Builds\n\n")
	return table.Write(w, []string{"Program", "Step", "Plain", "Plain again", "waymark", "Bar"}, rows)
}

func writeRuns(w io.Writer, all []*outcome) error {
	var rows [][]string
	for _, o := range all {
		cell := func(variant string) string {
			ratio, _ := o.overPlain(running, variant)
			return fmt.Sprintf("%+.1f %%", 100*(ratio-1))
		}
		recorded := measure.Median(o.seconds(running, recording))
		rows = append(rows, []string{
			o.subject, fmt.Sprintf("%.2f s", measure.Median(o.seconds(running, plainBuild))),
			cell(plainAgain), cell(traced), cell(seen), cell(recording),
			fmt.Sprintf("%.1f M", measure.Median(o.events)/1e6), fmt.Sprintf("%.1f M", measure.Median(o.events)/1e6/recorded),
			fmt.Sprintf("%.2f", measure.Median(o.bytesPerEvent)), strconv.FormatUint(o.dropped, 10),
			fmt.Sprintf("%.1f MB, %+.1f MB", float64(o.sizes[plainBuild])/1e6, float64(o.sizes[traced]-o.sizes[plainBuild])/1e6),
		})
	}
	fmt.Fprint(w, "### Runs\n\nBars: off <= 3 %, bytes per event <= 4, nothing lost.\n\n")
	return table.Write(w, []string{"Program", "Plain", "Plain again", "Off", "First calls", "Recording", "Events", "Events/s", "Bytes/event", "Lost", "Binary"}, rows)
}

// writeCSV writes each time that was taken.
func writeCSV(w io.Writer, all []*outcome) error {
	out := csv.NewWriter(w)
	out.Write([]string{"program", "step", "variant", "round", "seconds"})
	for _, o := range all {
		for _, t := range o.times {
			out.Write([]string{o.subject, t.step, t.variant, strconv.Itoa(t.round + 1), strconv.FormatFloat(t.seconds, 'f', 6, 64)})
		}
	}
	out.Flush()
	return out.Error()
}
