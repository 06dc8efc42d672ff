package callgraph

import (
	"compress/gzip"
	"io"

	"github.com/waymark-go/waymark/internal/wire/profile"
)

// WritePprof writes the tree in pprof's format, compressed:
//
//	go tool pprof -http=: tree.pprof
//
// A sampled tree has the values samples, cpu and time, an exact tree has calls and time. Time is
// the one that pprof shows unless -sample_index names another. Notes are comments of the profile.
func (t *Tree) WritePprof(w io.Writer) error {
	z := gzip.NewWriter(w)
	if err := t.writeProfile(profile.New(z)); err != nil {
		return err
	}
	return z.Close()
}

func (t *Tree) writeProfile(p *profile.Writer) error {
	if t.Sampling != nil {
		p.Type("samples", "count")
		p.Type("cpu", "nanoseconds")
	} else {
		p.Type("calls", "count")
	}
	p.Type("time", "nanoseconds")
	t.Walk(func(path []*Node) {
		n := path[len(path)-1]
		list := functions(path)
		values := []uint64{uint64(n.Calls), uint64(n.Self())}
		if t.Sampling != nil {
			values = []uint64{uint64(n.SelfSamples()), uint64(n.SelfCPU()), uint64(n.Self())}
		}
		if len(list) == 0 || allZero(values) {
			return
		}
		locations := make([]uint64, 0, len(list))
		for i := len(list) - 1; i >= 0; i-- { // innermost first
			f := &list[i].Func
			locations = append(locations, p.Function(f.Name, f.File, f.Line))
		}
		p.Sample(locations, values)
	})
	if !t.From.IsZero() {
		p.Time(t.From, t.To.Sub(t.From))
	}
	for _, note := range t.Notes() {
		p.Comment(note)
	}
	return p.Close("time")
}

func allZero(list []uint64) bool {
	for _, v := range list {
		if v != 0 {
			return false
		}
	}
	return true
}
