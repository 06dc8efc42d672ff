package recorded

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/tracefile"
)

// A Profile is what a reading of all events of recordings comes to.
type Profile struct {
	Report    json.RawMessage // as waymark report --format json prints it
	Lacks     []string        // what is missing, as the command says it
	Damage    []string
	Functions []function.Func // in the order in which Tree names them
	Tree      Tree
	Alive     []int // goroutines that were alive at equal steps of the time
	Waits     bool  // it is known when goroutines ran
	Makes     bool  // it is known what calls made on the heap

	short  []string       // names of Functions
	number map[string]int // by name, the first one of that name
}

// A Tree is a call tree whose rows are indices of Functions.
type Tree = calltree.Paths[Sum]

// A Sum adds up the calls of a node. Times are in ns.
type Sum struct {
	Calls, Panics, Errors uint64
	Total, Self           int64
	Objects, Bytes        uint64
	Off                   *recording.Offs // when goroutines did not run; nil if they always did
}

func (s *Sum) add(o *Sum) {
	s.Calls += o.Calls
	s.Panics += o.Panics
	s.Errors += o.Errors
	s.Total += o.Total
	s.Self += o.Self
	s.Objects += o.Objects
	s.Bytes += o.Bytes
	if o.Off != nil {
		if s.Off == nil {
			s.Off = new(recording.Offs)
		}
		s.Off.Total.Join(&o.Off.Total)
		s.Off.Self.Join(&o.Off.Self)
	}
}

// offs returns when goroutines did not run.
func (s *Sum) offs() *recording.Offs {
	if s.Off == nil {
		return new(recording.Offs)
	}
	return s.Off
}

// aliveSteps is how many steps of the time Profile.Alive has.
const aliveSteps = 240

// readProfile reads all events of a set. An error is returned only if nothing could be read.
func readProfile(set *tracefile.Set, progress func(read, all uint64)) (*Profile, error) {
	r := report.New(report.Options{Tree: true, Goroutines: true, Progress: progress})
	err := r.Read(set)
	if len(r.Recordings) == 0 {
		return nil, err
	}
	p := &Profile{Lacks: recording.Lacks(r.Recordings)}
	for _, text := range strings.Split(text(errors.Join(err, r.Damage())), "\n") {
		if text != "" {
			p.Damage = append(p.Damage, text)
		}
	}
	var b bytes.Buffer
	if err := r.Write(&b, report.JSON); err != nil {
		return nil, err
	}
	p.Report = b.Bytes()
	for _, s := range r.Recordings {
		p.Waits = p.Waits || s.Info.Waiting
		p.Makes = p.Makes || s.Info.Objects
	}
	p.addTree(r)
	p.alive(r.Goroutines(), int64(set.Duration()))
	return p, nil
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// addTree takes the call tree of a report over.
func (p *Profile) addTree(r *report.Report) {
	index := make(map[function.Identity]uint32)
	at := []uint32{0} // by path + 1
	r.Paths(func(path *report.Path) {
		row, ok := index[path.Func.Identity()]
		if !ok {
			row = uint32(len(p.Functions))
			index[path.Func.Identity()] = row
			p.Functions = append(p.Functions, *path.Func)
		}
		node := p.Tree.Child(at[path.Caller+1], row)
		p.Tree.Nodes[node].Sum = Sum{path.Calls, path.Panics, path.Errors, path.Total, path.Self, path.Objects, path.Bytes, path.Off}
		at = append(at, node)
	})
}

// alive counts the goroutines that are alive at each step, at least for a moment.
func (p *Profile) alive(rows []*report.Row, duration int64) {
	changes := make([]int, aliveSteps+1)
	step := max(duration/aliveSteps, 1)
	for _, row := range rows {
		from, to := row.Goroutine.Start/step, row.Goroutine.End/step
		changes[min(max(from, 0), aliveSteps-1)]++
		changes[min(max(to, from, 0)+1, aliveSteps)]--
	}
	n := 0
	for _, change := range changes[:aliveSteps] {
		n += change
		p.Alive = append(p.Alive, n)
	}
}

// shorten gives functions short names and numbers.
func (p *Profile) shorten() {
	set := names.NewSet()
	for i := range p.Functions {
		set.Add(p.Functions[i].Name)
	}
	p.short, p.number = make([]string, len(p.Functions)), make(map[string]int)
	for i := range p.Functions {
		p.short[i] = set.Short(p.Functions[i].Name)
		if _, ok := p.number[p.Functions[i].Name]; !ok {
			p.number[p.Functions[i].Name] = i
		}
	}
}

// reasons are the reasons for which some calls waited.
func (p *Profile) reasons() (list []tracefile.WaitReason) {
	var sum recording.Off
	for i := range p.Tree.Nodes {
		if off := p.Tree.Nodes[i].Sum.Off; off != nil {
			sum.Join(&off.Self)
		}
	}
	for i, n := range sum.Waiting {
		if n > 0 {
			list = append(list, tracefile.WaitReason(i))
		}
	}
	slices.SortFunc(list, func(a, b tracefile.WaitReason) int { return int(min(max(sum.Waiting[b]-sum.Waiting[a], -1), 1)) })
	return list
}
