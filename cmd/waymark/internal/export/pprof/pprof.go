// Package pprof writes recordings in the profile format of pprof, compressed.
//
//	go tool pprof -top -sample_index=calls OUT
//
// Each path of calls is a sample with those of paths.Measures that were recorded. pprof shows self times: the
// cumulated ones of a function are its total time. The value total has the total time at the
// function itself, so it is to be read as flat.
package pprof

import (
	"compress/gzip"
	"io"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/paths"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/profile"
	"github.com/waymark-go/waymark/tracefile"
)

// Write writes a tree of the recordings of a set. Notes about them are comments of the profile.
func Write(out io.Writer, t *paths.Tree, set *tracefile.Set, filter *recording.Filter, notes []string) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	p := profile.New(z)
	var recorded []int
	for i, m := range paths.Measures {
		if t.Has(i) {
			recorded = append(recorded, i)
			p.Type(m.Name, m.Unit)
		}
	}
	writeSamples(p, t, recorded)
	length := set.Duration()
	if filter.To > 0 {
		length = min(length, filter.To)
	}
	p.Time(set.Processes[0].Info().Start.Add(filter.From), length-filter.From)
	for _, note := range notes {
		p.Comment(note)
	}
	if err := p.Close(paths.Measures[paths.Self].Name); err != nil {
		return err
	}
	return z.Close()
}

func writeSamples(p *profile.Writer, t *paths.Tree, measures []int) {
	functions := make([]uint64, len(t.Functions)) // their locations
	for i := range t.Functions {
		f := &t.Functions[i]
		functions[i] = p.Function(f.Name, f.File, f.Line)
	}
	var locations []uint64
	var labels []profile.Label
	values := make([]uint64, len(measures))
	t.Each(func(stack []int, n *paths.Node) {
		if p.Err() != nil {
			return
		}
		locations, labels = locations[:0], labels[:0]
		for _, f := range stack {
			locations = append(locations, functions[f])
		}
		for i, m := range measures {
			values[i] = uint64(paths.Measures[m].Of(n.Numbers))
		}
		for _, group := range t.Functions[stack[0]].Groups {
			labels = append(labels, profile.Label{Key: "group", Text: group})
		}
		if n.Goroutine != "" {
			labels = append(labels, profile.Label{Key: "goroutine", Text: n.Goroutine})
		}
		if n.Counted {
			labels = append(labels, profile.Label{Key: "counted", Text: "true"})
		}
		p.Sample(locations, values, labels...)
	})
}
