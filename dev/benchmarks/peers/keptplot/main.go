// Keptplot draws how much memory the runs of dev/benchmarks/kept had, by requests. It prints how
// much CPU time each kind of run took, in multiples of the first one: see `make bench-traces`.
package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"image/color"
	"os"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

func main() {
	out := flag.String("o", "kept.svg", "the picture, as SVG or PNG")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "keptplot: want a CSV file of dev/benchmarks/kept, and flags before it; see -help")
		os.Exit(2)
	}
	kinds, err := read(flag.Arg(0))
	if err == nil {
		for _, k := range kinds {
			fmt.Printf("%s: %.2f s of CPU time, %.2f times that of %s\n", k.name, k.median(), k.median()/kinds[0].median(), kinds[0].name)
		}
		err = draw(kinds).Save(20*vg.Centimeter, 9*vg.Centimeter, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "keptplot:", err)
		os.Exit(1)
	}
}

// A kind of run.
type kind struct {
	name   string
	memory plotter.XYs // MB, by thousands of requests, of the latest run
	cpu    []float64   // s, of each run
}

// median returns the CPU time of the run in the middle.
func (k *kind) median() float64 {
	slices.Sort(k.cpu)
	return k.cpu[len(k.cpu)/2]
}

// read returns the kinds of runs in the order of the file.
func read(path string) (kinds []*kind, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	for _, row := range rows {
		var n [3]float64 // requests, bytes, ns
		for i := range n {
			if n[i], err = strconv.ParseFloat(row[1+i], 64); err != nil {
				return nil, err
			}
		}
		i := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == row[0] })
		if i < 0 {
			i = len(kinds)
			kinds = append(kinds, &kind{name: row[0]})
		}
		k := kinds[i]
		if last := len(k.memory) - 1; last < 0 || k.memory[last].X >= n[0]/1e3 {
			k.memory, k.cpu = nil, append(k.cpu, 0) // a new run
		}
		k.memory = append(k.memory, plotter.XY{X: n[0] / 1e3, Y: n[1] / (1 << 20)})
		k.cpu[len(k.cpu)-1] = n[2] / 1e9
	}
	return kinds, nil
}

// draw draws the memory of the kinds.
func draw(kinds []*kind) *plot.Plot {
	p := plot.New()
	p.Title.Text = "Twenty of a million traces are kept"
	p.X.Label.Text = "thousands of requests"
	p.Y.Label.Text = "memory of the process, MB"
	colors := []color.Color{color.Gray{Y: 120}, color.RGBA{B: 160, A: 255}, color.RGBA{R: 200, A: 255}}
	for i, k := range kinds {
		line, err := plotter.NewLine(k.memory)
		if err != nil {
			panic(err) // there are no points that are no numbers
		}
		line.Color, line.Width = colors[i%len(colors)], vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(k.name, line)
		p.Y.Max = max(p.Y.Max, 1.6*k.memory[len(k.memory)-1].Y)
	}
	p.Legend.Top = true
	p.X.Min, p.Y.Min = 0, 0
	return p
}
