// Package ending has things done when the program ends. A program ends when main returns, by
// os.Exit, and where the system can do that by a panic, a fatal error or a signal.
//
//	remove := ending.Add(c.save)
//
// The runtime has one place for last words. Who takes it otherwise calls Claim before, and Run at
// the end.
package ending

import (
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// How long the end of the program waits.
const (
	patience = 30 * time.Second
	look     = 50 * time.Millisecond
)

var words struct {
	mu      sync.Mutex
	list    []*func() // to be called
	claimed bool      // somebody calls Run when the program dies
	hooked  bool      // AtExit
}

// Claim says that the caller calls Run when the program dies.
func Claim() {
	words.mu.Lock()
	defer words.mu.Unlock()
	words.claimed = true
}

// Add has f called once, on a goroutine that is not traced, when the program ends, unless remove is
// called before. A copy of the process (fork) doesn't call f.
func Add(f func()) (remove func()) {
	words.mu.Lock()
	defer words.mu.Unlock()
	words.list = append(words.list, &f)
	pid := os.Getpid()
	if !words.hooked {
		words.hooked = true
		rt.AtExit(func() {
			if os.Getpid() == pid {
				patiently()
			}
		})
	}
	if !words.claimed && runtime.GOARCH != "wasm" { // wasm has no threads to wait on
		words.claimed = true
		rt.GoLast(func() {
			for !rt.Await(-1) {
			}
			if os.Getpid() == pid {
				Run()
			}
			rt.Said()
		})
	}
	return func() {
		words.mu.Lock()
		defer words.mu.Unlock()
		for i, other := range words.list {
			if other == &f {
				words.list = append(words.list[:i:i], words.list[i+1:]...)
				return
			}
		}
	}
}

// patiently calls Run, and waits for it, but not for ever.
func patiently() {
	words.mu.Lock()
	n := len(words.list)
	words.mu.Unlock()
	if n == 0 {
		return
	}
	waited := time.Duration(0)
	if !rt.Finish(Run, int64(look), func() bool { waited += look; return waited < patience }) {
		say := func() {
			console.Say("what was to be written at the end was not written within %v; the program ends", patience)
		}
		rt.Finish(say, int64(look), func() bool { return false })
	}
}

// Run calls all that Add was given, the oldest first.
func Run() {
	for {
		words.mu.Lock()
		if len(words.list) == 0 {
			words.mu.Unlock()
			return
		}
		f := words.list[0]
		words.list = words.list[1:]
		words.mu.Unlock()
		(*f)()
	}
}
