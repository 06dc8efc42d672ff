package diff

import (
	"encoding/json"
	"io"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
)

// The keys of these types are a contract: keys may be added, but none is removed.

type jsonDiff struct {
	Old       jsonSide       `json:"old"`
	New       jsonSide       `json:"new"`
	Alpha     float64        `json:"alpha"`
	Functions []jsonFunction `json:"functions"`
	Paths     []jsonPath     `json:"paths"`                // those that have changed
	Over      *[]jsonExcess  `json:"over,omitempty"`       // with --fail-over
	Unjudged  string         `json:"not_judged,omitempty"` // why times are not
}

type jsonSide struct {
	Files      []string `json:"files"`
	Program    string   `json:"program"`
	Recordings int      `json:"recordings"`
	Calls      uint64   `json:"calls"`
	Dropped    uint64   `json:"dropped"`
	Damaged    int64    `json:"damaged"`
	Complete   bool     `json:"complete"`
	Lacks      []string `json:"lacks,omitempty"`
}

type jsonNumbers struct {
	Calls jsonChange `json:"calls"`
	Total jsonChange `json:"total_ns"`
	Self  jsonChange `json:"self_ns"`
}

type jsonFunction struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	Old     bool   `json:"old"` // in the old program
	New     bool   `json:"new"`
	Changed bool   `json:"changed"`
	Demoted bool   `json:"demoted,omitempty"`
	jsonNumbers
}

type jsonPath struct {
	Path    []string `json:"path"`              // outermost caller first
	Follows bool     `json:"follows,omitempty"` // calls have changed as the caller's have
	jsonNumbers
}

type jsonChange struct {
	Before  int64    `json:"before"`
	After   int64    `json:"after"`
	Percent *float64 `json:"percent,omitempty"` // of Before, unless that is 0
	Verdict string   `json:"verdict"`           // see Verdict
	P       *float64 `json:"p,omitempty"`       // of noise, where that was asked
}

type jsonExcess struct {
	Name string `json:"name"`
	What string `json:"what"` // calls or self time
}

func newJSONChange(c *Change) jsonChange {
	j := jsonChange{Before: c.Before, After: c.After, Verdict: c.Verdict.String()}
	if share, ok := c.Share(); ok {
		share *= 100
		j.Percent = &share
	}
	if c.Verdict == Noise || c.Verdict == Changed && c.P > 0 {
		j.P = &c.P
	}
	return j
}

func newJSONNumbers(calls, total, self *Change) jsonNumbers {
	return jsonNumbers{newJSONChange(calls), newJSONChange(total), newJSONChange(self)}
}

func (d *Diff) jsonSide(i int) jsonSide {
	s := &d.sides[i]
	sum := recording.Sum(s.recordings)
	return jsonSide{
		Files: sum.Files, Program: s.program, Recordings: len(s.recordings), Calls: sum.Calls,
		Dropped: sum.Info.Lost, Damaged: sum.Info.Damaged, Complete: sum.Info.Complete, Lacks: recording.Lacks(s.recordings),
	}
}

func (d *Diff) writeJSON(w io.Writer) error {
	j := jsonDiff{Old: d.jsonSide(Before), New: d.jsonSide(After), Alpha: d.Alpha, Functions: []jsonFunction{}, Paths: []jsonPath{}}
	for _, f := range d.Functions {
		j.Functions = append(j.Functions, jsonFunction{f.Name, f.Package, f.In[Before], f.In[After], f.changed, f.Demoted, newJSONNumbers(&f.Calls, &f.Total, &f.Self)})
	}
	for _, p := range d.Paths {
		one := jsonPath{Follows: p.Follows, jsonNumbers: newJSONNumbers(&p.Calls, &p.Total, &p.Self)}
		for _, f := range p.Functions {
			one.Path = append(one.Path, f.Name)
		}
		j.Paths = append(j.Paths, one)
	}
	if d.Limit > 0 {
		over, note := d.Over()
		list := []jsonExcess{}
		for _, e := range over {
			list = append(list, jsonExcess{e.Function.Name, e.What})
		}
		j.Over, j.Unjudged = &list, note
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(j)
}
