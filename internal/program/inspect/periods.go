package inspect

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/waymark-go/waymark/histogram"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/goroutine"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// periods has the numbers of calls that have ended since the last news.
type periods struct {
	wish
	open goroutine.Local[[]time.Time]

	mu        sync.Mutex
	functions map[string]*period
	hits      uint64
}

// A period is that of one function.
type period struct {
	control.Numbers
	durations histogram.Counter
}

// Observe implements switchboard.Observer.
func (p *periods) Observe(e *switchboard.Event) {
	switch e.Kind {
	case switchboard.Enter:
		list := p.open.Get(true)
		*list = append(*list, time.Now().Add(-switchboard.Ago(e)))
	case switchboard.Exit:
		list := p.open.Get(false)
		if list == nil || len(*list) == 0 {
			return
		}
		took := time.Since((*list)[len(*list)-1]) - late()
		if *list = (*list)[:len(*list)-1]; len(*list) == 0 {
			p.open.Drop()
		}
		p.add(e.Func.Name, max(took, 0), e.Returned)
	}
}

func (p *periods) add(name string, took time.Duration, returned bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.functions[name]
	if one == nil {
		if p.functions == nil {
			p.functions = make(map[string]*period)
		}
		one = &period{Numbers: control.Numbers{Function: name}}
		p.functions[name] = one
	}
	if one.Calls == 0 || int64(took) < one.MinNS {
		one.MinNS = int64(took)
	}
	one.MaxNS = max(one.MaxNS, int64(took))
	one.TotalNS += int64(took)
	one.durations.Add(took)
	one.Calls++
	p.hits++
	if returned {
		one.Returned++
	} else {
		one.Panics++
	}
}

// Next implements control.Task.
func (p *periods) Next() control.News {
	p.mu.Lock()
	defer p.mu.Unlock()
	news := control.News{Hits: p.hits}
	for name, one := range p.functions {
		if one.Calls == 0 {
			continue
		}
		one.AvgNS = one.TotalNS / int64(one.Calls)
		one.P99NS = min(max(int64(one.durations.Histogram().Quantile(0.99)), one.MinNS), one.MaxNS)
		news.Functions = append(news.Functions, one.Numbers)
		one.Numbers = control.Numbers{Function: name}
		one.durations.Reset()
	}
	slices.SortFunc(news.Functions, func(a, b control.Numbers) int { return strings.Compare(a.Function, b.Function) })
	news.Functions = news.Functions[:min(len(news.Functions), mostRows)]
	p.end(&news)
	return news
}
