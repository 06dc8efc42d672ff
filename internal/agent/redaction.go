package agent

import (
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/rt"
	"github.com/waymark-go/waymark/internal/switchboard"
	"github.com/waymark-go/waymark/internal/text"
)

// redaction is what makes fields secret in values that are printed.
var redaction = new(redactor)

type redactor struct {
	find  sync.Once
	words atomic.Pointer[[]string]
}

func init() {
	if host.Enabled() {
		text.Secrets = secrets
		switchboard.Secret = func(name string) bool { return format.LooksSecret(name, secrets()) }
	}
}

// secrets returns the words that the program was built with, or those of WAYMARK.
func secrets() []string {
	r := redaction
	r.find.Do(func() {
		var built string
		read := func(text string) {
			built = text
			words := values(settings{text: built}, began).Redact
			r.words.Store(&words)
		}
		read("")
		host.Packages(func(p *rt.Package) {
			if p.Settings != built {
				read(p.Settings)
			}
		})
	})
	return *r.words.Load()
}
