package switchboard_test

import (
	"testing"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A level cuts what is recorded, whoever wants it, and nothing of what observers are told.
func TestLimit(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	bind(store(r))
	read, write := r.Site("m/store.Read"), r.Site("m/store.Write")
	rec := &switchboard.Recording{Package: func(*rt.Package) {}}
	b.Record(rec)
	all, log := b.Join("Record", switchboard.Environment), b.Join("log", switchboard.Program)
	must(t, all.Set(switchboard.Wish{Want: rt.Recorded, Kind: "Record"}))
	must(t, log.Set(observed(new(teller), groups("In"))))
	words(t, r, "in full", "recorded watched", "recorded", "recorded", "recorded watched", "recorded watched")
	before := r.Stores
	b.Limit(rec, read, format.LevelUnvalued)
	b.Limit(rec, write, format.LevelCounted)
	words(t, r, "limited", "recorded unvalued watched", "counted long", "recorded", "recorded watched", "recorded watched")
	equal(t, "stores", r.Stores-before, 2)
	log.Close()
	words(t, r, "without the observer", "recorded unvalued", "counted long", "recorded", "recorded", "recorded")
	r.Register("m/later", switchtest.Functions("m/later.F"), format.Facility{})
	b.Limit(rec, r.Site("m/later.F"), format.LevelCounted)
	equal(t, "a later package", r.Word("m/later.F"), "counted long")
	b.Limit(rec, write, format.LevelFull)
	words(t, r, "promoted", "recorded unvalued", "recorded", "recorded", "recorded", "recorded")
	before = r.Stores
	b.Limit(rec, 0, format.LevelCounted)
	b.Limit(rec, 100, format.LevelCounted)
	equal(t, "stores for sites that nobody has", r.Stores, before)
	b.EndRecord(rec)
	words(t, r, "ended", "", "", "", "", "")
	b.Limit(rec, write, format.LevelCounted)
	b.Record(rec)
	b.Limit(&switchboard.Recording{}, write, format.LevelCounted)
	words(t, r, "the next recording", "recorded", "recorded", "recorded", "recorded", "recorded")
	b.EndRecord(rec)
	b.Record(&switchboard.Recording{Package: func(*rt.Package) {}, Least: format.LevelOnly})
	words(t, r, "one that only counts", "counted", "counted", "counted", "recorded", "recorded")
}

// Statistics have a budget of their own, which cuts a recording, too.
func TestLimitStatistics(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	bind(store(r))
	read, write := r.Site("m/store.Read"), r.Site("m/store.Write")
	must(t, b.Join("statistics", switchboard.Program).Set(switchboard.Wish{Want: rt.Timed}))
	b.Limit(nil, read, format.LevelCounted)
	words(t, r, "limited", "counted", "timed", "timed", "", "")
	rec := &switchboard.Recording{Package: func(*rt.Package) {}}
	b.Record(rec)
	must(t, b.Join("Record", switchboard.Program).Set(switchboard.Wish{Want: rt.Recorded, Kind: "Record"}))
	b.Limit(rec, write, format.LevelUnvalued)
	words(t, r, "with a recording", "counted long", "recorded unvalued timed", "recorded timed", "recorded", "recorded")
	b.EndRecord(rec)
	words(t, r, "without it", "counted", "timed", "timed", "", "")
	b.LimitAll(format.LevelOnly)
	words(t, r, "all counted", "counted", "counted", "counted", "", "")
}

// Calls that a command counts are not added to those that are recorded.
func TestLimitBeside(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	bind(store(r))
	read := r.Site("m/store.Read")
	rec := &switchboard.Recording{Package: func(*rt.Package) {}}
	b.Record(rec)
	must(t, b.Join("Record", switchboard.Environment).Set(switchboard.Wish{Want: rt.Recorded, Kind: "Record"}))
	must(t, b.Join("Stats", switchboard.Command).Set(switchboard.Wish{Want: rt.Counted}))
	words(t, r, "in full", "recorded timed", "recorded timed", "recorded timed", "recorded", "recorded")
	b.Limit(rec, read, format.LevelUnvalued)
	words(t, r, "without values", "recorded unvalued timed", "recorded timed", "recorded timed", "recorded", "recorded")
	b.Limit(rec, read, format.LevelCounted)
	words(t, r, "limited", "counted long", "recorded timed", "recorded timed", "recorded", "recorded")
	b.EndRecord(rec)
	words(t, r, "without a recording", "counted", "counted", "counted", "", "")
}

// Levels of a recording whose budget is that of statistics, too, hold beyond its end.
func TestLimitStays(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	bind(store(r))
	must(t, b.Join("statistics", switchboard.Program).Set(switchboard.Wish{Want: rt.Timed}))
	rec := &switchboard.Recording{Package: func(*rt.Package) {}, Stays: true}
	b.Record(rec)
	b.Limit(rec, r.Site("m/store.Read"), format.LevelSampled)
	b.Limit(rec, r.Site("m/store.Write"), format.LevelUnvalued)
	b.Sample(rec, 1)
	b.EndRecord(rec)
	words(t, r, "ended", "counted", "timed", "timed", "", "")
	b.Record(&switchboard.Recording{Package: func(*rt.Package) {}})
	words(t, r, "the next one", "timed", "timed", "timed", "", "")
}

// A window of one budget leaves no samples of the other's sites behind.
func TestSampleOfTwo(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	bind(store(r))
	must(t, b.Join("statistics", switchboard.Program).Set(switchboard.Wish{Want: rt.Timed}))
	rec := &switchboard.Recording{Package: func(*rt.Package) {}}
	b.Record(rec)
	b.Limit(nil, r.Site("m/store.Read"), format.LevelCounted)
	b.Sample(nil, 1)
	b.Sample(rec, 2)
	b.Sample(nil, 0)
	b.Sample(rec, 0)
	words(t, r, "after both windows", "counted", "timed", "timed", "", "")
}

// Functions that somebody has named have a higher rank than those that are wanted with all others.
func TestRank(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	bind(store(r))
	rank := func(when string, want ...int) {
		t.Helper()
		var got []int
		for _, name := range []string{"Read", "Write", "other"} {
			got = append(got, b.Rank(r.Site("m/store."+name)))
		}
		equal(t, when, got, want)
	}
	b.Record(&switchboard.Recording{Package: func(*rt.Package) {}})
	must(t, b.Join("Record", switchboard.Environment).Set(switchboard.Wish{Want: rt.Recorded, Kind: "Record"}))
	rank("all", 0, 0, 0)
	must(t, b.Join("log", switchboard.Program).Set(observed(new(teller), groups("All"))))
	rank("observed", 0, 0, 0)
	group := b.Join("Record", switchboard.Program)
	must(t, group.Set(switchboard.Wish{Want: rt.Recorded, Kind: "Record", Select: groups("In")}))
	must(t, b.Join("Record", switchboard.Program).Set(switchboard.Wish{Want: rt.Recorded, Kind: "Record", Select: named("m/store.other")}))
	rank("named", 1, 0, 1)
	group.Close()
	rank("not any more", 0, 0, 1)
	equal(t, "no site", b.Rank(1000), 0)
}

// TestTimed has calls timed by the program, and by a command.
func TestTimed(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	bind(store(r))
	timed := func(when string, want ...bool) {
		t.Helper()
		var got []bool
		for _, name := range []string{"Read", "Write", "other"} {
			got = append(got, b.Timed()[r.Site("m/store."+name)])
		}
		equal(t, when, got, want)
	}
	must(t, b.Join("Stats", switchboard.Command).Set(switchboard.Wish{Want: rt.Timed, Kind: "Stats"}))
	timed("by a command", false, false, false)
	own := b.Join("Stats", switchboard.Program)
	must(t, own.Set(switchboard.Wish{Want: rt.Timed, Kind: "Stats", Select: named("m/store.other")}))
	timed("one", false, false, true)
	must(t, own.Set(switchboard.Wish{Want: rt.Counted, Kind: "Stats"}))
	timed("counted", false, false, false)
	must(t, b.Join("Stats", switchboard.Environment).Set(switchboard.Wish{Want: rt.Timed, Kind: "Stats"}))
	timed("all", true, true, true)
}
