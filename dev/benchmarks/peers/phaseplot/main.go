// Phaseplot draws how a recording keeps its budget. The plot shows the share of CPU time that
// tracing took, over time. It also shows the budget, the phases of the program and the changes of
// what is recorded. It is for recordings of dev/benchmarks/phases, which computes on one goroutine,
// so that its CPU time is the time: see `make bench-phases`.
//
// The share is made of the recording's own numbers: recorded calls and counted calls, each with what
// such a call costs. The program reads its counters when levels change and else once a second. What
// it counted is spread over the time since it read them before.
package main

import (
	"flag"
	"fmt"
	"image/color"
	"os"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/waymark-go/waymark/tracefile"
)

func main() {
	recorded := flag.Float64("recorded", 50, "what a recorded call costs, in `ns` of CPU time")
	counted := flag.Float64("counted", 3, "what a counted call costs, in `ns` of CPU time")
	bin := flag.Duration("bin", 20*time.Millisecond, "the `time` of a point")
	most := flag.Float64("most", 60, "the greatest `percent` that is drawn")
	out := flag.String("o", "phases.svg", "the picture, as SVG or PNG")
	flag.Parse()
	if flag.NArg() != 1 || *bin <= 0 {
		fmt.Fprintln(os.Stderr, "phaseplot: want a trace file, and flags before it; see -help")
		os.Exit(2)
	}
	f, err := tracefile.Open(flag.Arg(0))
	if err == nil {
		var l *load
		if l, err = read(f, *bin); err == nil {
			err = l.plot(*recorded, *counted, *most).Save(20*vg.Centimeter, 9*vg.Centimeter, *out)
		}
		f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "phaseplot:", err)
		os.Exit(1)
	}
}

// A load says what tracing had to do over time.
type load struct {
	bin               time.Duration
	recorded, counted []float64 // calls, by bin
	phases            []float64 // s, when each began
	down, up          []float64 // s, when less, and more, of a function was recorded
	budget            float64   // percent
}

// read adds up a recording in bins.
func read(f *tracefile.File, bin time.Duration) (*load, error) {
	budget := f.Meta("budget")
	percent, err := strconv.ParseFloat(strings.TrimSuffix(budget, "%"), 64)
	if err != nil {
		return nil, fmt.Errorf("%s: budget %q: want the recording of a program that had one, as in WAYMARK=record,budget=10%%", f.Path(), budget)
	}
	n := int(f.Info().Duration/bin) + 1
	l := &load{bin: bin, recorded: make([]float64, n), counted: make([]float64, n), budget: percent}
	at := func(clock uint64) float64 { return float64(f.Nanos(clock)) / 1e9 }
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		if ev.Kind != tracefile.Enter {
			continue
		}
		l.recorded[min(int(f.Nanos(ev.Clock)/int64(bin)), n-1)]++
		if fn, _ := f.Func(ev.Site); strings.HasSuffix(fn.Name, ".few") || strings.HasSuffix(fn.Name, ".many") {
			l.phases = append(l.phases, at(ev.Clock))
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	read := 0 // the bin after the one in which the counters were read
	for i := range l.counted {
		calls := uint64(0)
		r := tracefile.Range{From: f.ClockAt(time.Duration(i) * bin), To: f.ClockAt(time.Duration(i+1) * bin)}
		for _, n := range f.Counted(r) {
			calls += n
		}
		if calls == 0 {
			continue
		}
		for j := read; j <= i; j++ {
			l.counted[j] += float64(calls) / float64(i+1-read)
		}
		read = i + 1
	}
	level := make(map[uint32]tracefile.Level)
	for _, d := range f.Demotions() {
		if d.Level > level[d.Func] {
			l.down = append(l.down, at(d.Clock))
		} else if d.Level < level[d.Func] {
			l.up = append(l.up, at(d.Clock))
		}
		level[d.Func] = d.Level
	}
	return l, nil
}

// plot draws the load, with costs in ns per call.
func (l *load) plot(recorded, counted, most float64) *plot.Plot {
	p := plot.New()
	p.Title.Text = "A recording keeps its budget"
	p.X.Label.Text = "seconds"
	p.Y.Label.Text = "tracing, % of CPU time"
	var share plotter.XYs
	for i := range l.recorded {
		cost := l.recorded[i]*recorded + l.counted[i]*counted
		share = append(share, plotter.XY{X: float64(i) * l.bin.Seconds(), Y: min(most, 100*cost/float64(l.bin))})
	}
	end := float64(len(share)) * l.bin.Seconds()
	line := func(xys plotter.XYs, c color.Color, dashes ...vg.Length) *plotter.Line {
		line, err := plotter.NewLine(xys)
		if err != nil {
			panic(err) // there are no points that are no numbers
		}
		line.Color, line.Dashes = c, dashes
		p.Add(line)
		return line
	}
	for _, x := range l.phases {
		line(plotter.XYs{{X: x, Y: 0}, {X: x, Y: most}}, color.Gray{Y: 200})
	}
	blue := line(share, color.RGBA{B: 160, A: 255})
	blue.StepStyle = plotter.PreStep
	p.Legend.Add("tracing", blue)
	p.Legend.Add("budget", line(plotter.XYs{{X: 0, Y: l.budget}, {X: end, Y: l.budget}}, color.RGBA{R: 200, A: 255}, vg.Points(4), vg.Points(3)))
	for _, s := range []struct {
		name  string
		times []float64
		glyph draw.GlyphDrawer
	}{{"less is recorded of a function", l.down, draw.CrossGlyph{}}, {"more again", l.up, draw.RingGlyph{}}} {
		var xys plotter.XYs
		for _, x := range s.times {
			xys = append(xys, plotter.XY{X: x, Y: most / 60})
		}
		if len(xys) == 0 {
			continue
		}
		points, err := plotter.NewScatter(xys)
		if err != nil {
			panic(err)
		}
		points.GlyphStyle = draw.GlyphStyle{Color: color.Black, Radius: vg.Points(3), Shape: s.glyph}
		p.Add(points)
		p.Legend.Add(s.name, points)
	}
	p.Legend.Top = true
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, end, 0, most
	return p
}
