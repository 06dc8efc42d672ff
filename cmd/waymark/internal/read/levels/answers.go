package levels

import (
	"context"
	"fmt"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

type jsonLane struct {
	ID       uint64 `json:"id"`
	Parent   uint64 `json:"parent,omitempty"`
	Start    int64  `json:"start_ns"`
	End      int64  `json:"end_ns"`
	Ended    bool   `json:"ended"`
	Calls    uint64 `json:"calls"`
	Total    int64  `json:"total_ns"`
	Running  int64  `json:"running_ns"`
	Runnable int64  `json:"runnable_ns"`
	Waiting  int64  `json:"waiting_ns"`
	Panics   uint32 `json:"panics"`
	Errors   uint32 `json:"errors"`
	Depth    uint32 `json:"depth"`
}

func (x *Index) jsonLane(l *Lane) jsonLane {
	s := x.p.Scale
	total, runnable := s.Nanoseconds(l.Total), s.Nanoseconds(l.Runnable)
	off := s.Nanoseconds(l.Runnable + l.Waiting) // rounded as in package recording
	return jsonLane{
		ID: l.ID, Parent: l.Parent, Start: x.ns(l.Start), End: x.ns(l.End), Ended: l.Ended, Calls: l.Calls, Total: total,
		Running: total - off, Runnable: runnable, Waiting: off - runnable, Panics: l.Panics, Errors: l.Errors, Depth: l.Depth,
	}
}

func answerInfo(x *Index, _ *query) (any, error) {
	info := x.p.File.Info()
	reasons := make([]string, tracefile.WaitReasons)
	for i := range reasons {
		reasons[i] = tracefile.WaitReason(i).String()
	}
	return map[string]any{
		"label": x.p.Label, "program": info.Program, "file": x.p.File.Path(), "start_ns": x.ns(x.Begin()), "end_ns": x.ns(x.End), "events": x.Events, "calls": x.Calls,
		"goroutines": len(x.lanes), "groups": len(x.groups), "waiting": info.Waiting, "live": info.Live, "reasons": reasons,
		"lacks": append([]string{}, recording.Lacks([]recording.Summary{x.summary()})...),
		"index": map[string]any{
			"path": x.Path, "bytes": x.Size(), "strokes": x.Strokes, "new": x.New, "made_ns": int64(x.Made),
			"limit_ns": x.p.Scale.Nanoseconds(x.sketch.Limit(x.Base)),
		},
	}, nil
}

func (x *Index) summary() recording.Summary {
	table, _ := x.Table(context.Background(), tracefile.Range{}, 0) // that is in the index
	return (&recording.Filter{}).Summary(x.p, table)
}

type jsonFunction struct {
	ID    uint32 `json:"id"`
	Name  string `json:"name"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Calls uint64 `json:"calls"`
	Total int64  `json:"total_ns"`
	Self  int64  `json:"self_ns"`
	Min   int64  `json:"min_ns"`
	Max   int64  `json:"max_ns"`

	Panics uint64 `json:"panics"`
	Errors uint64 `json:"errors"`

	*calls.JSONOffs
}

func (x *Index) jsonRows(ctx context.Context, r tracefile.Range, goroutine uint64) ([]jsonFunction, error) {
	result, err := x.Table(ctx, r, goroutine)
	if err != nil {
		return nil, err
	}
	waiting := x.p.File.Info().Waiting
	list := []jsonFunction{}
	for i := range result.Rows {
		row := &result.Rows[i]
		s := x.p.Scale
		f := jsonFunction{
			ID: row.Key, Name: x.function(row.Key), Calls: row.Calls, Total: s.Nanoseconds(row.Total), Self: s.Nanoseconds(row.Self),
			Min: s.Nanoseconds(row.Min), Max: s.Nanoseconds(row.Max), Panics: row.Panics, Errors: row.Errors,
		}
		if fn, ok := x.p.File.Func(row.Key); ok {
			f.File, f.Line = fn.File, fn.Line
		}
		if waiting {
			var off calls.Offs
			row.Off.AddTo(&off, s)
			f.JSONOffs = off.JSON(f.Total, f.Self)
		}
		list = append(list, f)
	}
	return list, nil
}

// function returns the name of a function.
func (x *Index) function(site uint32) string {
	if fn, ok := x.p.File.Func(site); ok {
		return fn.Name
	}
	return fmt.Sprintf("function %d", site)
}

func answerFunctions(x *Index, q *query) (any, error) {
	list, err := x.jsonRows(q.ctx, tracefile.Range{}, 0)
	return map[string]any{"functions": list}, err
}

func answerTable(x *Index, q *query) (any, error) {
	r, goroutine := q.clocks(x), q.number("goroutine", 0)
	if q.err != nil {
		return nil, q.err
	}
	list, err := x.jsonRows(q.ctx, r, uint64(goroutine))
	return map[string]any{"from_ns": x.ns(r.From), "to_ns": x.ns(r.To), "functions": list}, err
}

type jsonGroup struct {
	Group    int    `json:"group"`
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Lanes    int    `json:"lanes"`
	Shown    int    `json:"shown"` // of these, those that were alive in the range
	Main     bool   `json:"main"`  // it is the main goroutine's
	jsonLane
	Alive []int `json:"alive,omitempty"`
}

func answerGroups(x *Index, q *query) (any, error) {
	r, bins := q.clocks(x), int(q.within("bins", 0, 0, maxBins))
	if q.err != nil {
		return nil, q.err
	}
	list := []jsonGroup{}
	for i := range x.groups {
		g := &x.groups[i]
		j := jsonGroup{Group: g.ID, Function: g.Origin.Func, File: g.Origin.File, Line: g.Origin.Line, Lanes: g.Lanes, jsonLane: x.jsonLane(&g.Sum)}
		j.Main = g.Lanes == 1 && x.lanes[g.lanes[0]].ID == 1
		_, j.Shown = x.Lanes(i, r, 0, 0)
		if bins > 0 && len(x.groups) <= maxLanes {
			j.Alive = x.Alive(i, r, bins)
		}
		list = append(list, j)
	}
	return map[string]any{"groups": list}, nil
}

func answerLanes(x *Index, q *query) (any, error) {
	r := q.clocks(x)
	group, offset := int(q.number("group", 0)), int(q.within("offset", 0, 0, 1<<40))
	limit := int(q.within("limit", 100, 1, 10*maxLanes))
	of := q.number("goroutine", 0)
	if q.err != nil {
		return nil, q.err
	}
	answer := map[string]any{}
	if of > 0 {
		g, place := x.Position(uint64(of), r)
		if place < 0 {
			return nil, mistake{fmt.Errorf("goroutine=%d: it was not alive then", of)}
		}
		group, offset = g, max(0, place-limit/2)
	}
	if group < 0 || group >= len(x.groups) {
		return nil, mistake{fmt.Errorf("group=%d: there are %d", group, len(x.groups))}
	}
	list, all := x.Lanes(group, r, offset, limit)
	lanes := make([]jsonLane, len(list))
	for i, l := range list {
		lanes[i] = x.jsonLane(l)
	}
	answer["group"], answer["offset"], answer["all"], answer["lanes"] = group, offset, all, lanes
	return answer, nil
}

func answerCounts(x *Index, q *query) (any, error) {
	r, n := q.clocks(x), int(q.within("bins", 300, 1, maxBins))
	if q.err != nil {
		return nil, q.err
	}
	counts := x.Counts(r, n)
	events, panics := make([]uint64, n), make([]uint64, n)
	for i, c := range counts {
		events[i], panics[i] = c.Events, c.Panics
	}
	return map[string]any{"from_ns": x.ns(r.From), "to_ns": x.ns(r.To), "events": events, "panics": panics, "goroutines": x.Alive(-1, r, n)}, nil
}

// values returns arguments, results or the value of a panic as text.
func (x *Index) values(data []byte, names []string) []string {
	if len(data) == 0 {
		return nil
	}
	values, err := value.Decode(data, x.p.File.Type)
	p := value.Printer{}
	var list []string
	for i := range values {
		text := p.Value(&values[i])
		if i < len(names) && names[i] != "_" && names[i] != "" {
			text = names[i] + "=" + text
		}
		list = append(list, text)
	}
	if err != nil {
		list = append(list, "…")
	}
	return list
}
