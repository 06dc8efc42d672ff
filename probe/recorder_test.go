package probe

import (
	"fmt"
	"testing"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Firings are recorded while info functions of the provider's package are, and nobody looks otherwise.
func TestRecorder(t *testing.T) {
	board := switchtest.Fresh(t)
	const path = "github.com/waymark-go/waymark/probe"
	board.Register(path, switchtest.Functions(path+".work"), format.Facility{})
	board.Register("example.com/other", switchtest.Functions("example.com/other.work"), format.Facility{})
	var got []string
	factory := one("Record", func(l *live) (sink, error) {
		return openRecorder(l, board.Add, func(p *rt.Package, i int, args ...any) {
			got = append(got, fmt.Sprint(p.Base+uint32(i), args))
		}), nil
	})
	type recorded struct {
		Provider
		A P0
		B P1[string]
	}
	var p recorded
	register(t, &p, factory)
	want(t, "Enabled without a recording", p.A.Enabled(), false)
	p.A.Fire()

	owner := switchboard.Default.Join("Record", switchboard.Program)
	record := func(of string) *switchboard.Recording {
		r := &switchboard.Recording{Package: func(*rt.Package) {}}
		selected := switchboard.Selection{Has: func(f *function.Func) bool { return f.Package == of }}
		if err := owner.Set(switchboard.Wish{Want: rt.Recorded, Kind: "Record", Select: selected}); err != nil {
			t.Fatal(err)
		}
		switchboard.Default.Record(r)
		return r
	}
	r := record(path)
	want(t, "Enabled while the package is recorded", p.A.Enabled() && p.B.Enabled(), true)
	p.A.Fire()
	p.B.Fire("x")
	want(t, "recorded", got, []string{"3 []", "4 [x]"}) // the packages have 1 and 2
	switchboard.Default.EndRecord(r)
	want(t, "Enabled afterwards", p.A.Enabled() || p.B.Enabled(), false)
	r = record("example.com/other")
	want(t, "Enabled while another package is recorded", p.A.Enabled(), false)
	switchboard.Default.EndRecord(r)

	// A provider that is registered again has the same sites, even if it was recorded meanwhile.
	p.Dispose()
	r = record(path)
	register(t, &p, factory)
	want(t, "Enabled when registered again", p.A.Enabled(), true)
	p.A.Fire()
	want(t, "recorded again", got[2:], []string{"3 []"})
	switchboard.Default.EndRecord(r)
}
