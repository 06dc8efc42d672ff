package process

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/cmd/waymark/internal/ui"
	"github.com/waymark-go/waymark/internal/control"
)

// A session is one open page.
type session struct {
	process *Process
	id      string
	ctx     context.Context
	cancel  context.CancelFunc
	out     chan event

	changes sync.Mutex // held while a task is started or stopped: one at a time

	mu    sync.Mutex // of what follows
	tasks map[string]*task
	ended bool
}

// A task is something that the page has the program do, on a connection of its own.
type task struct {
	conn    *live.Conn
	stop    chan struct{} // closed when the page wants no more
	stopped bool
	done    chan struct{}
}

// tell sends an event, unless the page is gone.
func (s *session) tell(e event) {
	select {
	case s.out <- e:
	case <-s.ctx.Done():
	}
}

// watchStatus tells what is on in the program until it ends.
func (s *session) watchStatus() {
	c, err := s.process.connect()
	if err != nil {
		s.tell(event{Kind: "gone", Text: err.Error()})
		return
	}
	defer c.Close()
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	for {
		answer, err := c.Ask(control.Request{Do: control.DoStatus})
		if err != nil {
			s.tell(event{Kind: "gone", Text: err.Error()})
			return
		}
		s.tell(event{Kind: "status", Status: answer.Status})
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return
		}
	}
}

// Limits of what a page asks for.
const (
	mostHits      = 1000
	shortestEvery = 100 * time.Millisecond
	newsEvery     = 200 * time.Millisecond
)

// request makes of a command what the program is asked for.
func (s *session) request(c *command) (r control.Request, every time.Duration, err error) {
	r = control.Request{Do: control.DoWatch, Targets: c.Targets}
	limit := min(max(c.Limit, 1), mostHits)
	switch c.Task {
	case "top":
		r.Watch = &control.Watch{Kind: control.KindSums, Waits: true}
		every = max(time.Duration(c.EveryNS), shortestEvery)
	case "watch":
		r.Watch = &control.Watch{Kind: control.KindCalls, MinNS: c.MinNS, Limit: limit, Bare: !c.Values}
		if c.If != "" {
			p, err := expression.Compile(c.If, nil)
			if err != nil {
				return r, 0, ui.BadRequest("%w", err)
			}
			r.Watch.If = p.Append(nil)
		}
	case "trace":
		r.Watch = &control.Watch{Kind: control.KindTraces, MinNS: c.MinNS, Limit: limit}
	case "record":
		r = control.Request{Do: control.DoRecord, Targets: c.Targets, Path: filepath.Join(s.process.folder, time.Now().Format("waymark-20060102-150405.wmt"))}
	default:
		return r, 0, ui.BadRequest("task=%s: want top, watch, trace or record", c.Task)
	}
	if c.MinNS < 0 {
		return r, 0, ui.BadRequest("min_ns=%d: want 0 or more", c.MinNS)
	}
	if (c.Task == "watch" || c.Task == "trace") && len(c.Targets) == 0 {
		return r, 0, ui.BadRequest("%s: want a function", c.Task)
	}
	return r, every, nil
}

// start begins a task. One of the same name ends before.
func (s *session) start(c *command) (*control.Change, error) {
	r, every, err := s.request(c)
	if err != nil {
		return nil, err
	}
	s.changes.Lock()
	defer s.changes.Unlock()
	s.finish(c.Task)
	conn, err := s.process.connect()
	if err != nil {
		return nil, err
	}
	answer, err := conn.Ask(r)
	if err != nil {
		conn.Close()
		return nil, err
	}
	t := &task{conn: conn, stop: make(chan struct{}), done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		conn.Close()
		return nil, ui.BadRequest("the page's connection has ended: load the page again")
	}
	s.tasks[c.Task] = t
	go s.follow(c, t, answer.Change, every)
	return answer.Change, nil
}

// stop ends a task.
func (s *session) stop(name string) {
	s.changes.Lock()
	defer s.changes.Unlock()
	s.finish(name)
}

// finish ends a task, and waits until the program has switched off what it had.
func (s *session) finish(name string) {
	s.mu.Lock()
	t := s.tasks[name]
	delete(s.tasks, name)
	if t != nil && !t.stopped {
		t.stopped = true
		close(t.stop)
	}
	s.mu.Unlock()
	if t != nil {
		<-t.done
	}
}

// end ends all tasks: their connections close.
func (s *session) end() {
	s.mu.Lock()
	s.ended = true
	list := s.tasks
	s.tasks = nil
	s.mu.Unlock()
	for _, t := range list {
		t.conn.Close()
		<-t.done
	}
}

// follow tells the page that a task has begun, its news, and that it has ended: all by the stream, in this
// order. The answer to the request that has started it may come later than its end.
func (s *session) follow(c *command, t *task, change *control.Change, every time.Duration) {
	defer close(t.done)
	defer t.conn.Close()
	s.tell(event{Kind: "begun", Task: c.Task, Change: change})
	for {
		next := control.Request{Do: control.DoNext, WaitNS: int64(newsEvery)}
		if every > 0 { // numbers of a period
			next.WaitNS = 0
			select {
			case <-time.After(every):
			case <-t.stop:
			case <-s.ctx.Done():
				return
			}
		}
		select {
		case <-t.stop:
			next.Do = control.DoStop
		case <-s.ctx.Done():
			return
		default:
		}
		answer, err := t.conn.Ask(next)
		if err != nil {
			s.tell(event{Kind: "ended", Task: c.Task, Text: err.Error()})
			return
		}
		news := answer.News
		if news == nil {
			s.tell(event{Kind: "ended", Task: c.Task, Text: "the program has answered without news"})
			return
		}
		if !news.Empty() || next.Do == control.DoStop {
			s.tell(event{Kind: "news", Task: c.Task, News: news})
		}
		if news.Done {
			text := news.Why
			if c.Task == "record" && change != nil {
				text = fmt.Sprintf("recorded into %s: waymark serve %s shows it", change.Path, change.Path)
			}
			s.tell(event{Kind: "ended", Task: c.Task, Text: text, Change: change})
			return
		}
	}
}
