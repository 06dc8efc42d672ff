package recorded

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/calls"
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
	Tree      calls.Tree      // rows are indices of Functions
	Alive     []int           // goroutines that were alive at equal steps of the time
	Waits     bool            // it is known when goroutines ran
	Makes     bool            // it is known what calls made on the heap

	short  []string       // names of Functions
	number map[string]int // by name, the first one of that name
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
	rows := make(map[uint32]uint32) // by row of the report
	account := r.Account()
	at := make([]uint32, len(account.Nodes))
	for i := 1; i < len(account.Nodes); i++ {
		n := &account.Nodes[i]
		row, ok := rows[n.Row]
		if !ok {
			row = uint32(len(p.Functions))
			rows[n.Row] = row
			p.Functions = append(p.Functions, *r.Func(n.Row))
		}
		at[i] = p.Tree.Add(at[n.Parent], row, &n.Sum)
	}
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
	var sum calls.Off
	for i := range p.Tree.Nodes {
		if off := p.Tree.Nodes[i].Sum.Off; off != nil {
			sum.Add(&off.Self)
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
