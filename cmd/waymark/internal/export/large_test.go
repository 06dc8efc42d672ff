package export

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/parquet-go/parquet-go"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// counters count the calls of an export that is too large for its reader.
var counters = map[string]func(*testing.T, []byte) int{
	"json":       texts("\"id\":"),
	"speedscope": texts(`"type":"O"`),
	"chrome":     texts(`"ph":"B"`),
	"otlp":       texts(`"spanId":`),
	"xml":        texts(",START,"),
	"ctf":        func(t *testing.T, data []byte) int { return sum(readCTF(t, data, nil)) },
	"perfetto":   func(t *testing.T, data []byte) int { return sum(readPerfetto(t, data, nil)) },
	"parquet": func(t *testing.T, data []byte) int {
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		return int(f.NumRows())
	},
	"pprof": func(t *testing.T, data []byte) (n int) {
		p, err := profile.Parse(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sample {
			n += int(s.Value[0])
		}
		return n
	},
}

func texts(text string) func(*testing.T, []byte) int {
	return func(_ *testing.T, data []byte) int { return bytes.Count(data, []byte(text)) }
}

func sum(list map[string]sums) (n int) {
	for _, s := range list {
		n += int(s.calls)
	}
	return n
}

// A deep recursion, and a call that makes many, are in every format: with -readers a million calls.
func TestLarge(t *testing.T) {
	calls := 30_000
	if *others {
		calls = 1_000_000
	}
	deep, wide := &calltreetest.Recording{}, &calltreetest.Recording{}
	add := func(r *calltreetest.Recording, kind tracefile.Kind, site, token int) {
		r.End++
		r.Events = append(r.Events, tracefile.Event{Kind: kind, Goroutine: 1, Site: uint32(site), Token: uint32(token), Clock: r.End})
	}
	for _, r := range []*calltreetest.Recording{deep, wide} {
		r.Tables = []calltreetest.Table{{Package: "main", Sites: []format.Site{{Name: "main.work"}, {Name: "main.step"}}}}
		r.PerBlock = 4000
		add(r, tracefile.Enter, 1, 10)
	}
	for i := range calls - 1 {
		add(deep, tracefile.Enter, 2, 20+10*i)
		add(wide, tracefile.Enter, 2, 20)
		add(wide, tracefile.Exit, 2, 20)
	}
	for i := range calls - 1 {
		add(deep, tracefile.Exit, 2, 20+10*(calls-2-i))
	}
	filter := recording.Filter{Show: func(*function.Func) bool { return true }}
	for name, r := range map[string]*calltreetest.Recording{"deep": deep, "wide": wide} {
		add(r, tracefile.Exit, 1, 10)
		r.End++
		data := r.Bytes()
		for _, f := range formats {
			t.Run(name+" "+f.Name, func(t *testing.T) {
				if f.Name == "folded" { // which has no calls
					if _, err := f.Write(io.Discard, open(t, data), &filter, Options{}); err != nil {
						t.Error(err)
					}
					return
				}
				if n := counters[f.Name](t, written(t, f.Name, open(t, data), filter)); n != calls {
					t.Errorf("%d calls, want %d", n, calls)
				}
			})
		}
	}
}
