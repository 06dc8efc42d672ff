// Attachplot draws what calls cost in a program that is patched while it runs, of a file of `make bench-attach`.
package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"image/color"
	"math"
	"os"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

func main() {
	out := flag.String("o", "attach.svg", "the picture, as SVG or PNG")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "attachplot: want a CSV file of make bench-attach, and flags before it; see -help")
		os.Exit(2)
	}
	engines, functions, err := read(flag.Arg(0))
	if err == nil {
		var p *plot.Plot
		if p, err = draw(engines, functions); err == nil {
			err = p.Save(24*vg.Centimeter, 10*vg.Centimeter, *out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "attachplot:", err)
		os.Exit(1)
	}
}

// An engine is a way to look into calls, or what others are compared with.
type engine struct {
	name  string
	added []float64 // ns a call, by function
}

// read returns the engines of a file that add something, and the functions whose calls were measured. A function has three
// columns: ns a call, those of them that are added, and these in readings of the clock.
func read(path string) (list []engine, functions []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows[min(1, len(rows)):] {
		e := engine{name: row[0]}
		for i := 1; i+2 < len(row); i += 3 {
			column := i + 1
			if row[0] == "two readings of the clock" {
				column = i
			}
			v, err := strconv.ParseFloat(row[column], 64)
			if err != nil {
				return nil, nil, err
			}
			e.added = append(e.added, v)
		}
		if row[0] != "plain" && row[0] != "undone" {
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("%s has no figures", path)
	}
	for i := 1; i+2 < len(rows[0]); i += 3 {
		functions = append(functions, rows[0][i][:len(rows[0][i])-len(", ns")])
	}
	return list, functions, nil
}

// draw draws a group of bars for each engine.
func draw(engines []engine, functions []string) (*plot.Plot, error) {
	const least = 0.1 // ns: less is nothing
	p := plot.New()
	p.Title.Text = "What a call pays while somebody looks"
	p.Y.Label.Text = "ns a call, added"
	// Bars begin at 0: they are as long as the logarithm of what is added, in multiples of the least.
	height := func(ns float64) float64 { return math.Log10(max(ns, least) / least) }
	var ticks plot.ConstantTicks
	for ns := least; ns <= 100_000; ns *= 10 {
		ticks = append(ticks, plot.Tick{Value: height(ns), Label: strconv.FormatFloat(math.Round(ns*10)/10, 'f', -1, 64)})
	}
	p.Y.Tick.Marker = ticks
	width := vg.Points(9)
	for f, name := range functions {
		var values plotter.Values
		for _, e := range engines {
			values = append(values, height(e.added[f]))
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return nil, err
		}
		bars.LineStyle.Width, bars.Offset = 0, vg.Length(2*f-len(functions)+1)*width/2
		bars.Color = color.RGBA{R: uint8(40 * f), G: uint8(70 + 40*f), B: 160, A: 255}
		p.Add(bars)
		p.Legend.Add(name, bars)
	}
	p.Legend.Top, p.Legend.Left = true, true
	names := make([]string, len(engines))
	for i, e := range engines {
		names[i] = e.name
	}
	p.NominalX(names...)
	return p, nil
}
