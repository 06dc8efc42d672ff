package agent

import (
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/program/text"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// redaction is what makes fields secret in values that are printed.
var redaction = new(redactor)

type redactor struct {
	find   sync.Once
	values atomic.Pointer[recorder.Values]
	built  atomic.Pointer[string] // settings of the latest package
}

// redact tells others what may be seen of values.
func redact() {
	text.Secrets = secrets
	switchboard.Secret = func(name string) bool { return format.LooksSecret(name, secrets()) }
	switchboard.PanicValues = func() bool { return shown().Panics }
	gather.Shown = func() gather.Values {
		v := shown()
		return gather.Values{Args: v.Args, Results: v.Results, Depth: v.Depth, Bytes: v.Bytes, Redact: v.Redact}
	}
}

// secrets returns the words that the program was built with, or those of WAYMARK.
func secrets() []string { return shown().Redact }

// shown returns what may be seen of values, as the program was built and WAYMARK says.
func shown() *recorder.Values {
	r := redaction
	r.find.Do(func() {
		read := func(built string) {
			r.built.Store(&built)
			v := values(settings{text: built}, began)
			r.values.Store(&v)
		}
		read("")
		host.Packages(func(p *rt.Package) {
			if p.Settings != *r.built.Load() {
				read(p.Settings)
			}
		})
	})
	return r.values.Load()
}

// builtWith returns the settings that the program was built with.
func builtWith() string {
	shown()
	return *redaction.built.Load()
}
