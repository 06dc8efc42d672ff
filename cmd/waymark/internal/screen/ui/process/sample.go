package process

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
)

const (
	sampleRate  = 20 // per second: enough for a page, and a fifth of what the command sample takes
	mostSampled = 200

	longestSample = time.Minute // a program has one sampler, which others may want
)

// A sample adds up what goroutines were seen to do.
type sample struct {
	Took      time.Duration `json:"took_ns"`
	Samples   int64         `json:"samples"`
	Cost      time.Duration `json:"cost_ns"` // of CPU
	Running   time.Duration `json:"running_ns"`
	Waiting   time.Duration `json:"waiting_ns"`
	Functions []*sampled    `json:"functions"` // those with the most running time first

	index map[string]*sampled
}

// A sampled function has the time of its calls, and of those that they make.
type sampled struct {
	Function string        `json:"function"`
	File     string        `json:"file"`
	Line     int           `json:"line"`
	Top      time.Duration `json:"top_ns"` // that it ran itself
	Running  time.Duration `json:"running_ns"`
	Runnable time.Duration `json:"runnable_ns"`
	Waiting  time.Duration `json:"waiting_ns"` // with system calls
}

// add adds a tree.
func (s *sample) add(t *callgraph.Tree) {
	s.Took += t.To.Sub(t.From)
	if t.Sampling != nil {
		s.Samples += t.Sampling.Samples
		s.Cost += t.Sampling.Cost
	}
	s.Running += t.Root.CPU
	s.Waiting += t.Root.Waiting() + t.Root.Syscall
	t.Walk(func(path []*callgraph.Node) {
		n, above := path[len(path)-1], path[:len(path)-1]
		if n.Func.Name == "" {
			return
		}
		f := s.index[n.Func.Name]
		if f == nil {
			f = &sampled{Function: n.Func.Name}
			s.index[n.Func.Name] = f
			s.Functions = append(s.Functions, f)
		}
		f.File, f.Line = cmp.Or(f.File, n.Func.File), cmp.Or(f.Line, n.Func.Line)
		f.Top += n.SelfCPU()
		if slices.ContainsFunc(above, func(o *callgraph.Node) bool { return o.Func.Name == n.Func.Name }) {
			return // the outermost call has it
		}
		f.Running += n.CPU
		f.Runnable += n.Ready
		f.Waiting += n.Waiting() + n.Syscall
	})
	slices.SortStableFunc(s.Functions, func(a, b *sampled) int {
		return cmp.Or(cmp.Compare(b.Running, a.Running), cmp.Compare(b.Waiting, a.Waiting))
	})
}

// message returns what a page is told.
func (s *sample) message() *sample {
	m := *s
	m.Functions = make([]*sampled, 0, mostSampled)
	for _, f := range s.Functions[:min(len(s.Functions), mostSampled)] {
		one := *f
		m.Functions = append(m.Functions, &one)
	}
	return &m
}

// sample samples in rounds until it is stopped, or a minute is over: a sampler tells its tree at its end. A round is twice
// as long as the one before, because the program may log each.
func (p *page) sample(t *task, every time.Duration, r control.Request) {
	defer close(t.done)
	p.tell(event{Kind: "begun", Task: "sample", Change: &t.feed.Change})
	all := &sample{index: make(map[string]*sampled)}
	over, why := time.After(longestSample), ""
	for feed, last := t.feed, false; !last; every *= 2 {
		select {
		case <-time.After(every):
		case <-over:
			last, why = true, "a minute is over"
		case <-t.stop:
			last = true
		case <-p.ctx.Done():
			return
		}
		tree, err := treeOf(feed)
		if err == nil {
			all.add(tree)
			p.know(all.Functions)
			p.tell(event{Kind: "news", Task: "sample", Sample: all.message()})
		}
		if !last && err == nil {
			feed, err = p.program.Follow(r)
		}
		if err != nil && !last {
			p.tell(event{Kind: "ended", Task: "sample", Text: err.Error()})
			return
		}
	}
	p.tell(event{Kind: "ended", Task: "sample", Text: why})
}

// treeOf ends a sampler, and returns its tree.
func treeOf(f *session.Feed) (*callgraph.Tree, error) {
	news, err := f.Stop()
	if err != nil {
		return nil, err
	}
	if news.Sampled == nil {
		return nil, errors.New(cmp.Or(news.Why, "the program has ended the sampler: another command has reset it"))
	}
	t := new(callgraph.Tree)
	if err := json.Unmarshal(news.Sampled, t); err != nil {
		return nil, err
	}
	if t.Root == nil {
		return nil, errors.New("the program's sample has no calls")
	}
	names.MakePrintable(t)
	return t, nil
}

// know notes the files of functions: the page may read them.
func (p *page) know(list []*sampled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range list {
		p.files[f.File] = true
	}
	delete(p.files, "")
}

// knows reports whether a function of the program is in a file.
func (p *page) knows(file string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.files[file]
}
