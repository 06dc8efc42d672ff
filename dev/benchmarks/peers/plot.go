package main

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// leastNS is what is drawn for costs below it: a logarithmic axis has no zero.
const leastNS = 0.1

// savePlot draws what each rung of each tracer adds to a call of the function of some
// ns, with a line where the floor is. The name's extension says the format.
func (s *summary) savePlot(name string) error {
	p := plot.New()
	p.Title.Text = "What tracing adds to a call"
	p.X.Label.Text = "ns per call, p50 and p99 of the rounds"
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = plot.LogTicks{Prec: -1}
	var names []string
	var p50, p99 plotter.XYs
	for _, r := range slices.Backward(s.rows) {
		if r.shape != "leaf" {
			continue
		}
		o, y := r.values(overNS), float64(len(names))
		p50 = append(p50, plotter.XY{X: max(measure.Median(o), leastNS), Y: y})
		p99 = append(p99, plotter.XY{X: max(measure.Percentile(o, 99), leastNS), Y: y})
		names = append(names, r.peer+", "+r.rung)
	}
	floor := max(measure.Median(s.floor()), leastNS)
	line, err := plotter.NewLine(plotter.XYs{{X: floor, Y: -0.5}, {X: floor, Y: float64(len(names)) - 0.5}})
	if err != nil {
		return err
	}
	line.Color = color.Gray{Y: 128}
	p.Add(plotter.NewGrid(), line)
	p.Legend.Add("floor", line)
	for _, series := range []struct {
		name  string
		xys   plotter.XYs
		glyph draw.GlyphDrawer
	}{{"p50", p50, draw.CircleGlyph{}}, {"p99", p99, draw.RingGlyph{}}} {
		points, err := plotter.NewScatter(series.xys)
		if err != nil {
			return err
		}
		points.GlyphStyle = draw.GlyphStyle{Color: color.RGBA{B: 160, A: 255}, Radius: vg.Points(3), Shape: series.glyph}
		p.Add(points)
		p.Legend.Add(series.name, points)
	}
	p.X.Min = leastNS
	p.NominalY(names...)
	return p.Save(24*vg.Centimeter, vg.Length(len(names))*0.6*vg.Centimeter+4*vg.Centimeter, name)
}
