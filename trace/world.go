package trace

import (
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/ending"
	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/program/goroutine"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// A source gathers: a *gather.Gatherer.
type source interface {
	SetLonger(time.Duration)
	Stop()
	Active() uint64
	List() []gather.Active
	Counts() (completed, kept, dropped, lost, unvalued uint64)
}

// A world is what collectors need of the program.
type world struct {
	gather    func(gather.Options) (source, error)
	run       func(func())                 // on a goroutine whose calls are not traced
	atEnd     func(func()) (remove func()) // has a function called when the program ends
	funcs     func(switchboard.Selection) []*Func
	goroutine func() uint64
}

var program = world{
	gather: func(o gather.Options) (source, error) {
		g, err := gather.Start(o)
		if err != nil {
			return nil, err
		}
		return g, nil
	},
	run:       rt.Go,
	atEnd:     ending.Add,
	funcs:     switchboard.Default.Funcs,
	goroutine: goroutine.ID,
}

// near returns the function that patterns may mean, as a question.
func near(patterns string, names []string) string {
	if strings.Contains(patterns, ", ") {
		return ""
	}
	return pattern.IsIt(patterns, names, 1)
}
