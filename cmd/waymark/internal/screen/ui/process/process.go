package process

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/internal/program/control"
)

// A Process is a running program.
type Process struct {
	connect session.Connect
	o       Options

	mu    sync.Mutex
	pages map[string]*page
}

// Options are how a process is shown.
type Options struct {
	Folder string // recordings are written into it
	Lines  bool   // lines can be watched, and source shown: the process sees this machine's files
}

// New returns the process that connect connects to.
func New(connect session.Connect, o Options) *Process {
	return &Process{connect: connect, o: o, pages: make(map[string]*page)}
}

// Mount adds the page and its answers to a server.
func (p *Process) Mount(s *ui.Server) {
	s.AddPage(ui.Page{Name: "live", Title: "Live"})
	s.Handle("GET /api/live/events", http.HandlerFunc(p.events))
	s.HandleJSON("POST /api/live/start", p.start)
	s.HandleJSON("POST /api/live/stop", p.stop)
	s.HandleJSON("GET /api/live/source", p.source)
}

// statusEvery is how often a page is told what is on, and whether the program runs.
const statusEvery = time.Second

// mostPages bounds the open pages: a program serves 64 connections.
const mostPages = 8

// An event is a message of a stream; Kind names what it has.
type event struct {
	Kind    string          `json:"kind"` // hello, status, begun, news, ended or gone
	Session string          `json:"session,omitempty"`
	Lines   bool            `json:"lines,omitempty"` // of hello: as Options has it
	Task    string          `json:"task,omitempty"`
	Status  *control.Status `json:"status,omitempty"`
	News    *control.News   `json:"news,omitempty"`
	Text    string          `json:"text,omitempty"`
	Targets []string        `json:"targets,omitempty"` // of what has begun
	Change  *control.Change `json:"change,omitempty"`
	Sample  *sample         `json:"sample,omitempty"`
}

// events is the stream of a page.
func (p *Process) events(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		ui.WriteError(w, errors.New("the connection can't stream"))
		return
	}
	one := &page{folder: p.o.Folder, id: rand.Text(), out: make(chan event, 64), tasks: make(map[string]*task), files: make(map[string]bool)}
	one.ctx, one.cancel = context.WithCancel(r.Context())
	defer one.cancel()
	program, gone := session.Open(p.connect)
	if gone == nil {
		one.program = program
		defer one.end()
		if !p.add(one) {
			ui.WriteError(w, fmt.Errorf("%d pages are open already: close one", mostPages))
			return
		}
		defer p.remove(one)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(e event) error {
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "data: %s\n\n", b)
		flusher.Flush()
		return err
	}
	if send(event{Kind: "hello", Session: one.id, Lines: p.o.Lines}) != nil {
		return
	}
	if gone == nil {
		go one.watchStatus()
	} else if send(event{Kind: "gone", Text: gone.Error()}) != nil {
		return
	}
	for {
		select {
		case e := <-one.out:
			if send(e) != nil {
				return
			}
		case <-one.ctx.Done():
			return
		}
	}
}

// add makes a page known, unless there are too many.
func (p *Process) add(one *page) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.pages) >= mostPages {
		return false
	}
	p.pages[one.id] = one
	return true
}

func (p *Process) remove(one *page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pages, one.id)
}

// A command is what a page wants.
type command struct {
	Session string   `json:"session"`
	Task    string   `json:"task"` // its name: sample, top, watch, trace or record
	Targets []string `json:"targets"`
	If      string   `json:"if"`
	MinNS   int64    `json:"min_ns"`
	Limit   uint64   `json:"limit"`
	Values  bool     `json:"values"` // of watch: the user wants to see arguments and results
	EveryNS int64    `json:"every_ns"`
	Count   bool     `json:"count"` // of top: calls are counted, and nothing else
}

// most is the largest body of a command.
const most = 64 << 10

func (p *Process) command(r *http.Request) (*command, *page, error) {
	var c command
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, most)).Decode(&c); err != nil {
		return nil, nil, ui.BadRequest("this is no command: %w", err)
	}
	one, err := p.page(c.Session)
	return &c, one, err
}

// page returns the page of a session.
func (p *Process) page(session string) (*page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if one := p.pages[session]; one != nil {
		return one, nil
	}
	return nil, ui.BadRequest("the page's connection has ended: load the page again")
}

func (p *Process) start(r *http.Request) (any, error) {
	c, one, err := p.command(r)
	if err != nil {
		return nil, err
	}
	change, err := one.start(c)
	if err != nil {
		var told *control.Error
		if errors.As(err, &told) {
			err = ui.BadRequest("%w", err)
		}
		return nil, err
	}
	return change, nil
}

func (p *Process) stop(r *http.Request) (any, error) {
	c, one, err := p.command(r)
	if err != nil {
		return nil, err
	}
	one.stop(c.Task)
	return struct{}{}, nil
}

// source answers with a source file that functions of the page's sample are in. No other file is ever read.
func (p *Process) source(r *http.Request) (any, error) {
	query := r.URL.Query()
	one, err := p.page(query.Get("session"))
	if err != nil {
		return nil, err
	}
	if !p.o.Lines { // its paths mean other files here
		return nil, ui.BadRequest("the program runs elsewhere, and so its source isn't shown: run waymark serve there")
	}
	name := query.Get("file")
	if !one.knows(name) || filepath.Ext(name) != ".go" {
		return nil, ui.BadRequest("%s: no function that was seen is in a file of that name", name)
	}
	status, err := one.program.Status()
	if err != nil {
		return nil, err
	}
	return ui.ReadSource(name, time.Now().Add(-time.Duration(status.UptimeNS)), "the program was started"), nil
}
