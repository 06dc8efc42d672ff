package recorder

import (
	"sync"

	"github.com/waymark-go/waymark/internal/program/console"
)

// said returns the text that do has printed on stderr.
func said(do func()) string {
	var mu sync.Mutex
	var all []byte
	defer console.Divert(func(text []byte) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, text...)
	})()
	do()
	mu.Lock()
	defer mu.Unlock()
	return string(all)
}
