package session

import (
	"errors"
	"sync"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/program/control"
)

// wait is how long a feed waits for news: as long it may take to stop it.
const wait = 200 * time.Millisecond

// A Feed follows calls, traces or a recording, on a connection of its own.
type Feed struct {
	Change control.Change // what the beginning has done

	session *Session

	mu   sync.Mutex
	conn *live.Conn // nil: it has ended
}

// Follow begins to watch or to record.
func (s *Session) Follow(r control.Request) (*Feed, error) {
	c, err := s.dial(r.Targets...)
	if err != nil {
		return nil, err
	}
	answer, err := c.Ask(r)
	if err != nil {
		s.end(c)
		return nil, err
	}
	f := &Feed{session: s, conn: c}
	if answer.Change != nil {
		f.Change = *answer.Change
	}
	return f, nil
}

// errOver is the error of a feed that was stopped.
var errOver = errors.New("it has been stopped")

// Next waits a moment for news and returns them. When they are Done, or after an error, there are none
// any more.
func (f *Feed) Next() (*control.News, error) {
	return f.ask(control.Request{Do: control.DoNext, WaitNS: int64(wait)})
}

// Stop ends the feed and returns the last news, of which a message may have a part only.
func (f *Feed) Stop() (*control.News, error) {
	news, err := f.ask(control.Request{Do: control.DoStop})
	for err == nil && !news.Done {
		before := news.Calls
		if news, err = f.ask(control.Request{Do: control.DoStop}); err == nil {
			news.Calls = append(before, news.Calls...)
		}
	}
	return news, err
}

func (f *Feed) ask(r control.Request) (*control.News, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conn == nil {
		return nil, errOver
	}
	answer, err := f.conn.Ask(r)
	if err == nil && answer.News == nil {
		err = errors.New("the program says nothing")
	}
	if err != nil || answer.News.Done {
		f.session.end(f.conn)
		f.conn = nil
	}
	if err != nil {
		return nil, err
	}
	return answer.News, nil
}

// Stopped reports whether an error of Next is that of a feed that Stop has ended.
func Stopped(err error) bool { return errors.Is(err, errOver) }
