package dashboard

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/units"
)

// What is followed.
type kind int

const (
	calls kind = iota
	trees
	record
)

// Messages of what is followed.
type (
	begun struct {
		kind kind
		what string
		feed *session.Feed
		err  error
	}
	news struct {
		kind kind
		feed *session.Feed
		news *control.News
		err  error
	}
)

// follow begins to follow.
func (m *Model) follow(k kind, what string, r control.Request) tea.Cmd {
	return func() tea.Msg {
		feed, err := m.program.Follow(r)
		return begun{k, what, feed, err}
	}
}

// pause is how long a feed is left alone between two looks: what comes faster comes together.
const pause = 100 * time.Millisecond

// next waits for news of a feed.
func next(k kind, feed *session.Feed) tea.Cmd {
	return func() tea.Msg {
		n, err := feed.Next()
		time.Sleep(pause)
		return news{k, feed, n, err}
	}
}

// stop ends a feed.
func stop(k kind, feed *session.Feed) tea.Cmd {
	return func() tea.Msg {
		n, err := feed.Stop()
		return news{k, feed, n, err}
	}
}

// A followed is a feed, and what is said of it.
type followed struct {
	feed    *session.Feed // nil: nothing is followed now
	what    string
	hits    uint64
	skipped uint64
	cut     *control.Cut // what has been said of it
	why     string       // it has ended
}

// feedOf returns the feed of a kind.
func (m *Model) feedOf(k kind) *followed {
	switch k {
	case calls:
		return &m.watch.followed
	case trees:
		return &m.traces.followed
	}
	return &m.recording.followed
}

// begun takes in that a feed has begun.
func (m *Model) begun(b begun) tea.Cmd {
	if b.err != nil {
		if m.form != nil {
			m.form.Error = b.err.Error()
		} else {
			m.fail(b.err)
		}
		return nil
	}
	m.form, m.submit = nil, nil
	f := m.feedOf(b.kind)
	before := f.feed
	*f = followed{feed: b.feed, what: b.what}
	cmds := []tea.Cmd{next(b.kind, b.feed)}
	switch b.kind {
	case calls:
		m.screen.Pane = watchPane
		m.watch.begin()
		m.say(m.affected(b))
	case trees:
		m.screen.Pane = tracesPane
		m.traces.begin()
		m.say(m.affected(b))
	case record:
		m.recording.file = b.feed.Change.Path
		m.say("recording to " + m.recording.file + ": r ends it")
	}
	if before != nil {
		cmds = append(cmds, func() tea.Msg { before.Stop(); return nil })
	}
	return tea.Batch(cmds...)
}

func (m *Model) affected(b begun) string {
	text := b.what + ": " + units.Things(uint64(b.feed.Change.Functions), "function")
	if note := b.feed.Change.Note; note != "" {
		text += "; " + note
	}
	return text
}

// news takes in what a feed says.
func (m *Model) news(n news) tea.Cmd {
	f := m.feedOf(n.kind)
	if f.feed != n.feed { // another one has taken its place
		return nil
	}
	switch {
	case session.Stopped(n.err):
		return nil
	case n.err != nil:
		f.feed, f.why = nil, n.err.Error()
	default:
		f.hits, f.skipped = n.news.Hits, n.news.Skipped
		if len(n.news.Notes) > 0 {
			m.say(strings.Join(n.news.Notes, "; "))
		}
		if c := n.news.Cut; c != nil && (f.cut == nil || f.cut.Took < c.Took) {
			f.cut = c
			m.say(c.String())
		}
		if n.kind == calls {
			m.watch.tell(n.news.Calls)
		} else if n.kind == trees {
			m.traces.tell(n.news.Traces)
		}
		if !n.news.Done {
			return next(n.kind, n.feed)
		}
		f.feed, f.why = nil, n.news.Why
		if f.why == "" {
			f.why = "stopped"
		}
	}
	if n.kind == record {
		return m.recorded(n)
	}
	return nil
}
