package endtoend

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/sampler"
)

// TestSamplerProfile reads the profile of a sampler with pprof's own package: the profile is valid,
// and has the tree's paths and times.
func TestSamplerProfile(t *testing.T) {
	s, err := sampler.Start(sampler.Options{Root: "endtoend.TestSamplerProfile", Rate: 500, MaxCPU: 1})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	tree, err := s.Stop()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tree.WritePprof(&b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Error(err)
	}
	if len(p.SampleType) != 3 || p.DefaultSampleType != "time" || p.SampleType[2].Type != "time" || p.SampleType[2].Unit != "nanoseconds" {
		t.Errorf("the values are %v with default %s, want time to be the last of three", p.SampleType, p.DefaultSampleType)
	}
	if len(p.Comments) != len(tree.Notes()) || p.DurationNanos != int64(tree.To.Sub(tree.From)) || p.TimeNanos != tree.From.UnixNano() {
		t.Errorf("the profile says %q, %d ns from %d", p.Comments, p.DurationNanos, p.TimeNanos)
	}
	paths := make(map[string]int64) // self times
	tree.Walk(func(path []*callgraph.Node) {
		name := ""
		for _, n := range path {
			name += "/" + n.Func.Name
		}
		if self := path[len(path)-1].Self(); self > 0 {
			paths[name] = int64(self)
		}
	})
	for _, s := range p.Sample {
		name := ""
		for i := len(s.Location) - 1; i >= 0; i-- {
			name += "/" + s.Location[i].Line[0].Function.Name
		}
		if got, want := s.Value[2], paths[name]; got != want {
			t.Errorf("%s has %d ns, want %d", name, got, want)
		}
		delete(paths, name)
	}
	if len(paths) > 0 {
		t.Errorf("the profile lacks %v", paths)
	}
}
