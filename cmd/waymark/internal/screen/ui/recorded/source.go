package recorded

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/tracefile"
)

// fileNames are the source files that the recordings name. No other file is ever read.
func (r *Recordings) fileNames() map[string]bool {
	names := make(map[string]bool)
	for _, file := range r.set.Processes {
		file.Funcs(func(_ uint32, f tracefile.Func) bool {
			names[f.File] = true
			return true
		})
	}
	delete(names, "")
	return names
}

// reported are the functions of a report in JSON.
type reported struct {
	Functions []json.RawMessage `json:"functions"`
}

// position is where a function of a report is.
type position struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Self int64  `json:"self_ns"`
}

// files answers with the source files that have calls, those with the most time of their own first.
func (r *Recordings) files(*http.Request) (any, error) {
	p, err := r.profile.Get()
	if err != nil {
		return nil, err
	}
	var report reported
	if err := json.Unmarshal(p.now.Report, &report); err != nil {
		return nil, err
	}
	type entry struct {
		File      string `json:"file"`
		Functions int    `json:"functions"`
		Self      int64  `json:"self_ns"`
	}
	index := make(map[string]*entry)
	list := []*entry{}
	for _, row := range report.Functions {
		var at position
		if err := json.Unmarshal(row, &at); err != nil {
			return nil, err
		}
		e := index[at.File]
		if at.File == "" { // recordings made of XML have none
			continue
		}
		if e == nil {
			e = &entry{File: at.File}
			index[at.File], list = e, append(list, e)
		}
		e.Functions++
		e.Self += at.Self
	}
	slices.SortStableFunc(list, func(a, b *entry) int { return int(min(max(b.Self-a.Self, -1), 1)) })
	return list, nil
}

// source answers with the lines of a source file, and with the functions of it that have calls.
func (r *Recordings) source(req *http.Request) (any, error) {
	p, err := r.profile.Get()
	if err != nil {
		return nil, err
	}
	name := req.URL.Query().Get("file")
	if !r.fileNames()[name] {
		return nil, ui.BadRequest("%s: no recorded function is in a file of that name", name)
	}
	var report reported
	if err := json.Unmarshal(p.now.Report, &report); err != nil {
		return nil, err
	}
	functions := []json.RawMessage{}
	for _, row := range report.Functions {
		var at position
		if err := json.Unmarshal(row, &at); err != nil {
			return nil, err
		}
		if at.File == name {
			functions = append(functions, row)
		}
	}
	return struct {
		ui.Source
		Functions []json.RawMessage `json:"functions"`
	}{ui.ReadSource(name, r.set.Processes[0].Info().Start, "the recording began"), functions}, nil
}
