package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/table"
)

// tolerance is how much the CPU time may miss a budget, in percent of plain.
const tolerance = 1

// counting is the variant that records nothing and counts all calls.
const counting = "budget 0%"

// A results are the samples of some programs.
type results []sample

// of returns a figure of a program's variant by round; NaN-free, as each sample has all figures.
func (r results) of(program, variant string, f func(sample) float64) []float64 {
	var list []float64
	for _, s := range r {
		if s.program == program && s.variant == variant {
			for len(list) <= s.round {
				list = append(list, 0)
			}
			list[s.round] = f(s)
		}
	}
	return list
}

func cpuTime(s sample) float64  { return s.cpu }
func wallTime(s sample) float64 { return s.wall }

// ratios returns, by round, how much time a variant took over that of plain in the same round, or of plain beside it.
func (r results) ratios(program, variant string, f func(sample) float64) (list []float64) {
	base, beside := r.of(program, plain, f), r.of(program, variant, func(s sample) float64 { return s.beside })
	for i, t := range r.of(program, variant, f) {
		switch {
		case beside[i] > 0:
			list = append(list, t/beside[i])
		case i < len(base):
			list = append(list, t/base[i])
		}
	}
	return list
}

// added returns the median of the percents that a variant adds to plain in each round.
func (r results) added(program, variant string, f func(sample) float64) float64 {
	return r.addedTo(plain, program, variant, f)
}

// addedTo is added for what a variant adds to another one.
func (r results) addedTo(to, program, variant string, f func(sample) float64) float64 {
	list := r.ratios(program, variant, f)
	base := r.ratios(program, to, f)
	if to == plain {
		base = slices.Repeat([]float64{1}, len(list))
	}
	var percents []float64
	for i := range min(len(base), len(list)) {
		percents = append(percents, 100*(list[i]/base[i]-1))
	}
	return measure.Median(percents)
}

// rounds returns the most rounds of any variant.
func rounds(variants []variant) (most int) {
	for _, v := range variants {
		most = max(most, v.rounds)
	}
	return most
}

// how says that variants ran beside plain, if they did.
func (r results) how() string {
	if !slices.ContainsFunc(r, func(s sample) bool { return s.beside > 0 }) {
		return ""
	}
	return " Each ran at the same time as plain,\non the same processor, until one of both ended: what else the machine does slows both down."
}

// alone reports whether a variant ran alone, so that its wall time tells something.
func (r results) alone(program, variant string) bool {
	return r.median(program, variant, func(s sample) float64 { return s.beside }) == 0
}

// median returns the median of a figure, of the rounds that have it.
func (r results) median(program, variant string, f func(sample) float64) float64 {
	var list []float64
	for _, v := range r.of(program, variant, f) {
		if v > 0 {
			list = append(list, v)
		}
	}
	return measure.Median(list)
}

// within says how many numbers of calls of all runs were estimated, and how many of these intervals hold the true ones.
func (r results) within(program, variant string) string {
	estimated, within, differ := 0, 0, 0
	for _, s := range r {
		if s.program == program && s.variant == variant {
			estimated, within, differ = estimated+s.estimated, within+s.within, differ+s.differ
		}
	}
	switch {
	case differ > 0:
		return fmt.Sprintf("%d, %d; %d exact ones differ", estimated, within, differ)
	case estimated == 0:
		return "-"
	}
	return fmt.Sprintf("%d, %.0f %%", estimated, 100*float64(within)/float64(estimated))
}

// write writes everything as Markdown: CPU time, then what the recordings have.
func (r results) write(w io.Writer, list []program, variants []variant) error {
	fmt.Fprintf(w, "%s\nUp to %d rounds. Medians of the rounds' ratios to plain.%s\n\n", table.Machine(), rounds(variants), r.how())
	if err := r.writeTimes(w, list, variants); err != nil {
		return err
	}
	return r.writeCalls(w, list, variants)
}

// writePrices writes what users want to know first: how much CPU time each way to run a program adds to plain.
func (r results) writePrices(w io.Writer, list []program, variants []variant) error {
	header := []string{"Program"}
	for _, v := range variants {
		switch {
		case v.name == counting:
			header = append(header, "calls counted")
		case v.budget != "":
			header = append(header, "recorded, "+v.name)
		case v.record:
			header = append(header, "all recorded")
		case v.traced:
			header = append(header, v.name)
		}
	}
	var rows [][]string
	for _, p := range list {
		if len(r.of(p.Name, plain, cpuTime)) == 0 {
			continue
		}
		row := []string{p.Name}
		for _, v := range variants {
			if v.traced {
				row = append(row, fmt.Sprintf("%+.1f %%", r.added(p.Name, v.name, cpuTime)))
			}
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(w, "%s\nMedians of up to %d rounds.%s\n\n", table.Machine(), rounds(variants), r.how())
	return table.Write(w, header, rows)
}

func (r results) writeTimes(w io.Writer, list []program, variants []variant) error {
	header := []string{"Program", "Plain: CPU, wall"}
	for _, v := range variants[1:] {
		header = append(header, v.name)
	}
	var rows [][]string
	met, bars, kept, controlled, held, strict := 0, 0, 0, 0, 0, 0
	for _, p := range list {
		if len(r.of(p.Name, plain, cpuTime)) == 0 {
			continue
		}
		row := []string{p.Name, fmt.Sprintf("%.2f s, %.2f s", r.median(p.Name, plain, cpuTime), r.median(p.Name, plain, wallTime))}
		for _, v := range variants[1:] {
			cpu := r.added(p.Name, v.name, cpuTime)
			cell := fmt.Sprintf("%+.1f %%", cpu)
			if r.alone(p.Name, v.name) {
				cell += fmt.Sprintf(", %+.1f %%", r.added(p.Name, v.name, wallTime))
			}
			if v.limit.strict {
				strict++
				if r.addedTo(off, p.Name, v.name, cpuTime) <= v.limit.percent+tolerance {
					held++
				} else {
					cell += " (over)"
				}
			} else if v.limit.percent > 0 && len(r.of(p.Name, counting, cpuTime)) > 0 {
				controlled++
				if r.addedTo(counting, p.Name, v.name, cpuTime) <= v.limit.percent+tolerance {
					kept++
				}
			}
			if v.budget != "" && !v.limit.strict {
				bars++
				if cpu <= v.limit.percent+tolerance {
					met++
				} else {
					cell += " (over)"
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(w, "### Added CPU time\n\nThe second figure, if there is one, is the added wall time.\nBar: CPU time <= the budget + %d point. It is met %d of %d times.\n", tolerance, met, bars)
	if strict > 0 {
		fmt.Fprintf(w, "Bar of strict budgets: the same, over the program with tracing off. It is met %d of %d times.\n", held, strict)
	}
	if controlled > 0 {
		fmt.Fprintf(w, "Over counting alone, %s, which no budget can go below, it is met %d of %d times.\n", counting, kept, controlled)
	}
	fmt.Fprintln(w)
	return table.Write(w, header, rows)
}

func (r results) writeCalls(w io.Writer, list []program, variants []variant) error {
	header := []string{"Program", "Calls"}
	for _, v := range variants {
		if v.record && v.budget != "" {
			header = append(header, v.name+": recorded calls", "their share of time", "demoted functions", "file")
			if v.limit.strict {
				header = append(header, "numbers of calls estimated, within the interval")
			}
		}
	}
	whole := variants[len(variants)-1] // counts all calls
	if whole.name == unlimited {
		header = append(header, unlimited+": file")
	} else if i := slices.IndexFunc(variants, func(v variant) bool { return v.name == counting }); i >= 0 {
		whole = variants[i]
	}
	var rows [][]string
	for _, p := range list {
		if len(r.of(p.Name, plain, cpuTime)) == 0 {
			continue
		}
		of := func(v string, f func(sample) float64) float64 { return r.median(p.Name, v, f) }
		calls := func(s sample) float64 { return float64(s.calls) }
		megabytes := func(s sample) float64 { return float64(s.bytes) / 1e6 }
		row := []string{p.Name, fmt.Sprintf("%.2f M", of(whole.name, calls)/1e6)}
		for _, v := range variants {
			if v.record && v.budget != "" {
				row = append(row,
					fmt.Sprintf("%.2f M", of(v.name, func(s sample) float64 { return float64(s.recorded) })/1e6),
					fmt.Sprintf("%.0f %%", 100*of(v.name, func(s sample) float64 { return s.share })),
					fmt.Sprintf("%.0f", of(v.name, func(s sample) float64 { return float64(s.demoted) })),
					fmt.Sprintf("%.1f MB", of(v.name, megabytes)))
				if v.limit.strict {
					row = append(row, r.within(p.Name, v.name))
				}
			}
		}
		if whole.name == unlimited {
			row = append(row, fmt.Sprintf("%.1f MB", of(unlimited, megabytes)))
		}
		rows = append(rows, row)
	}
	fmt.Fprint(w, "### What is recorded\n\n")
	return table.Write(w, header, rows)
}
