package agent

import (
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/text"
	"github.com/waymark-go/waymark/rt"
)

// redaction is what makes fields secret in values that are printed.
var redaction struct {
	env   string // WAYMARK, as it was when the program began
	find  sync.Once
	words atomic.Pointer[[]string]
}

func init() {
	if rt.Enabled {
		text.Secrets = secrets
	}
}

// secrets returns the words that the program was built with, or those of WAYMARK.
func secrets() []string {
	r := &redaction
	r.find.Do(func() {
		built := ""
		words := values(built, r.env).Redact
		r.words.Store(&words)
		rt.Packages(func(p *rt.Package) {
			if p.Settings != built {
				built = p.Settings
				words := values(built, r.env).Redact
				r.words.Store(&words)
			}
		})
	})
	return *r.words.Load()
}
