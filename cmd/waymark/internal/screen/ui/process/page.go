package process

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/internal/program/control"
)

// A page is one that is open in a browser.
type page struct {
	program *session.Session
	folder  string // of recordings
	id      string
	ctx     context.Context
	cancel  context.CancelFunc
	out     chan event

	changes sync.Mutex // held while a task is started or stopped: one at a time

	mu    sync.Mutex // of what follows
	tasks map[string]*task
	files map[string]bool // source files that functions were seen in
	ended bool
}

// A task is something that the page has the program do.
type task struct {
	feed    *session.Feed
	stop    chan struct{} // closed when the page wants no more
	stopped bool
	done    chan struct{}
}

// tell sends an event, unless the page is gone.
func (p *page) tell(e event) {
	select {
	case p.out <- e:
	case <-p.ctx.Done():
	}
}

// watchStatus tells what is on in the program until it ends.
func (p *page) watchStatus() {
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	for {
		status, err := p.program.Status()
		if err != nil {
			p.tell(event{Kind: "gone", Text: err.Error()})
			return
		}
		p.tell(event{Kind: "status", Status: status})
		select {
		case <-tick.C:
		case <-p.ctx.Done():
			return
		}
	}
}

// Limits of what a page asks for.
const (
	mostHits      = 1000
	shortestEvery = 100 * time.Millisecond
)

// request makes of a command what the program is asked for.
func (p *page) request(c *command) (r control.Request, every time.Duration, err error) {
	r = control.Request{Do: control.DoWatch, Targets: c.Targets}
	limit := min(max(c.Limit, 1), mostHits)
	switch c.Task {
	case "top":
		r.Watch = &control.Watch{Kind: control.KindSums, Waits: !c.Count, Count: c.Count, Budget: control.UsualBudget}
		every = max(time.Duration(c.EveryNS), shortestEvery)
	case "sample":
		r.Targets, r.Watch = nil, &control.Watch{Kind: control.KindSamples, Rate: sampleRate}
		every = max(time.Duration(c.EveryNS), shortestEvery)
	case "watch":
		r.Watch = &control.Watch{Kind: control.KindCalls, MinNS: c.MinNS, Limit: limit, Bare: !c.Values}
		if r.Watch.If, err = expression.Encode(c.If, c.Targets); err != nil {
			return r, 0, ui.BadRequest("%w", err)
		}
		if slices.ContainsFunc(c.Targets, control.IsLine) && (c.MinNS != 0 || !c.Values) {
			return r, 0, ui.BadRequest("a line shows its variables, and takes no time: no least duration, and not without values")
		}
	case "trace":
		r.Watch = &control.Watch{Kind: control.KindTraces, MinNS: c.MinNS, Limit: limit}
	case "record":
		r = control.Request{Do: control.DoRecord, Targets: c.Targets, Path: filepath.Join(p.folder, time.Now().Format("waymark-20060102-150405.000.wmt"))}
	default:
		return r, 0, ui.BadRequest("task=%s: want sample, top, watch, trace or record", c.Task)
	}
	if c.MinNS < 0 {
		return r, 0, ui.BadRequest("min_ns=%d: want 0 or more", c.MinNS)
	}
	if (c.Task == "watch" || c.Task == "trace") && len(c.Targets) == 0 {
		return r, 0, ui.BadRequest("%s: want a function, or a line to watch as in store.go:118", c.Task)
	}
	return r, every, nil
}

// start begins a task. One of the same name ends before.
func (p *page) start(c *command) (*control.Change, error) {
	r, every, err := p.request(c)
	if err != nil {
		return nil, err
	}
	p.changes.Lock()
	defer p.changes.Unlock()
	if c.Task != "top" { // a program may have one only
		p.finish(c.Task)
	}
	feed, err := p.program.Follow(r)
	if err != nil {
		return nil, err
	}
	if c.Task == "top" { // after a mistake the numbers before stay; now they, and estimates, have no place any more
		p.finish("top")
		p.finish("sample")
	}
	t := &task{feed: feed, stop: make(chan struct{}), done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended { // and so is the feed
		return nil, ui.BadRequest("the page's connection has ended: load the page again")
	}
	p.tasks[c.Task] = t
	if c.Task == "sample" {
		go p.sample(t, every, r)
	} else {
		go p.follow(c, t, every)
	}
	return &feed.Change, nil
}

// stop ends a task.
func (p *page) stop(name string) {
	p.changes.Lock()
	defer p.changes.Unlock()
	p.finish(name)
}

// finish ends a task, and waits until the program has switched off what it had.
func (p *page) finish(name string) {
	p.mu.Lock()
	t := p.tasks[name]
	delete(p.tasks, name)
	if t != nil && !t.stopped {
		t.stopped = true
		close(t.stop)
	}
	p.mu.Unlock()
	if t != nil {
		<-t.done
	}
}

// end ends all tasks: what they have switched on is off then.
func (p *page) end() {
	p.cancel()
	p.mu.Lock()
	p.ended = true
	list := p.tasks
	p.tasks = nil
	p.mu.Unlock()
	p.program.Close()
	for _, t := range list {
		<-t.done
	}
}

// follow tells the page that a task has begun, its news, and that it has ended: all by the stream, in this
// order. The answer to the request that has started it may come later than its end.
func (p *page) follow(c *command, t *task, every time.Duration) {
	defer close(t.done)
	change := &t.feed.Change
	p.tell(event{Kind: "begun", Task: c.Task, Targets: c.Targets, Change: change})
	for {
		if every > 0 { // numbers of a period
			select {
			case <-time.After(every):
			case <-t.stop:
			case <-p.ctx.Done():
				return
			}
		}
		ask, last := t.feed.Next, false
		select {
		case <-t.stop:
			ask, last = t.feed.Stop, true
		case <-p.ctx.Done():
			return
		default:
		}
		news, err := ask()
		if err != nil {
			p.tell(event{Kind: "ended", Task: c.Task, Text: err.Error()})
			return
		}
		if !news.Empty() || last {
			p.tell(event{Kind: "news", Task: c.Task, News: news})
		}
		if news.Done {
			text := news.Why
			if c.Task == "record" {
				text = fmt.Sprintf("recorded into %s: waymark serve %s shows it", change.Path, change.Path)
			}
			p.tell(event{Kind: "ended", Task: c.Task, Text: text, Change: change})
			return
		}
	}
}
