package agent

import (
	"fmt"
	"reflect"
	"sync"
	"time"
)

// patience is how long a method String or Error may take. Longer ones wait, probably
// for a lock that the traced call holds.
const patience = 100 * time.Millisecond

// texts turns values into text by their own methods Error and String, as fmt does. A
// method may do anything: panic, wait for a lock that the traced call holds, call
// functions that are traced. So it runs on a goroutine of its own. That is a system
// goroutine, because it may still be about to end when the program prints its stacks.
// The method has so much time; types whose methods took longer are not asked again.
type texts struct {
	slow sync.Map // of reflect.Type
}

// text returns the text of v, if v has one.
func (t *texts) text(v any) (string, bool) {
	var method func() string
	switch v := v.(type) {
	case error:
		method = v.Error
	case fmt.Stringer:
		method = v.String
	default:
		return "", false
	}
	typ := reflect.TypeOf(v)
	if _, slow := t.slow.Load(typ); slow {
		return "", false
	}
	answer := make(chan string, 1)
	host.Go(func() {
		host.LikeOthers()
		defer close(answer)
		defer func() { recover() }() // a nil receiver, mostly: then its fields are recorded
		answer <- method()
	})
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case s, ok := <-answer:
		return s, ok
	case <-timeout.C:
		t.slow.Store(typ, true)
		return "", false
	}
}
