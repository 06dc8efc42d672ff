package sampler

import (
	"errors"
	"fmt"
	"strings"

	"github.com/waymark-go/waymark/internal/text/names"
)

// Options say what a sampler looks at, and how often. The zero Options are good for all goroutines.
type Options struct {
	// Root is the function whose calls are sampled, as stack traces name it:
	// example.com/m/store.(*Store).Find. The path may begin later and the parentheses may be left
	// out: store.Store.Find. It may be a pattern that one function matches, as store.*.Find or
	// /Find$/. Empty means everything that goroutines do.
	Root string

	// Rate is the number of samples per second; 0 means DefaultRate. The highest is MaxRate.
	Rate float64

	// Schedule says from where the time to the next sample counts.
	Schedule Schedule

	// MaxGoroutines is the number of goroutines that one sample counts; 0 means 1000. If more
	// goroutines have the root on their stack, each sample takes a random part of them, and each
	// stack counts for several. The shares stay right, and the tree says so.
	MaxGoroutines int

	// MaxCPU is the share of one CPU that samples may take; 0 means 0.05. Samples come later
	// rather than take more.
	MaxCPU float64

	// MaxNodes is the number of nodes that the tree may have; 0 means 100,000.
	MaxNodes int
}

const (
	// DefaultRate is no divisor of 100 or 1000, so that samples don't go in step with a program
	// that does something every 10 ms.
	DefaultRate = 99

	// MaxRate is the highest rate of a sampler.
	MaxRate = 10_000

	defaultGoroutines = 1000
	defaultCPU        = 0.05
	defaultNodes      = 100_000
)

// A Schedule says when samples are taken.
type Schedule int

const (
	FixedDelay Schedule = iota // a time after the end of the sample before: costs less
	FixedRate                  // at multiples of a time, those that were missed left out: more precise
)

// String returns the name of the constant.
func (s Schedule) String() string {
	switch s {
	case FixedDelay:
		return "FixedDelay"
	case FixedRate:
		return "FixedRate"
	}
	return fmt.Sprintf("Schedule(%d)", int(s))
}

// Errors for errors.Is.
var (
	ErrOptions   = errors.New("the options can't be used")      // of Start
	ErrSampling  = errors.New("a sampler is running already")   // of Start
	ErrStopped   = errors.New("the sampler is not running")     // of Stop
	ErrNotSeen   = errors.New("the function was not seen")      // of Stop
	ErrAmbiguous = errors.New("several functions are the root") // of Stop
)

// An Error says what is wrong. Its Err is one of the errors for errors.Is.
type Error struct {
	Text string
	Err  error
}

func (e *Error) Error() string { return "sampler: " + e.Text }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func fail(err error, format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...), err}
}

// complete returns the options with defaults filled in.
func (o Options) complete() (Options, error) {
	if o.Root != "" && !strings.HasPrefix(o.Root, "/") {
		if path, function := names.Split(o.Root); path == "" || function == "" {
			return o, fail(ErrOptions, "root %q: want a package and a function, as in main.run or store.Store.Find", o.Root)
		}
	}
	if o.Rate == 0 {
		o.Rate = DefaultRate
	}
	if o.MaxGoroutines == 0 {
		o.MaxGoroutines = defaultGoroutines
	}
	if o.MaxCPU == 0 {
		o.MaxCPU = defaultCPU
	}
	if o.MaxNodes == 0 {
		o.MaxNodes = defaultNodes
	}
	// Written so that NaN fails, too.
	switch {
	case !(o.Rate >= 0.001 && o.Rate <= MaxRate):
		return o, fail(ErrOptions, "rate %g: want 0.001 to %d samples per second, or 0 for %d", o.Rate, MaxRate, DefaultRate)
	case o.Schedule != FixedDelay && o.Schedule != FixedRate:
		return o, fail(ErrOptions, "schedule %d: want FixedDelay or FixedRate", int(o.Schedule))
	case o.MaxGoroutines < 0:
		return o, fail(ErrOptions, "%d goroutines per sample: want 1 or more, or 0 for %d", o.MaxGoroutines, defaultGoroutines)
	case !(o.MaxCPU > 0 && o.MaxCPU <= 1):
		return o, fail(ErrOptions, "a share of %g of a CPU: want more than 0 and at most 1, or 0 for %g", o.MaxCPU, defaultCPU)
	case o.MaxNodes < 0:
		return o, fail(ErrOptions, "%d nodes: want 1 or more, or 0 for %d", o.MaxNodes, defaultNodes)
	}
	return o, nil
}
