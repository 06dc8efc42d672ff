package recorder

import (
	"strconv"
	"time"

	"github.com/waymark-go/waymark/internal/program/budget"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// Config says what to record and where to.
type Config struct {
	Path     string      // of the trace file; an existing trace file is replaced
	Overflow rt.Overflow // what to do when buffers are full; default is to wait
	Buffers  int         // memory for buffers, bytes; 0: the default

	// Settings of a ring.
	Window     time.Duration // wanted of the ring, counted back from its last event; 0 is all
	DumpAtExit bool          // write the ring when the program ends well, too

	// Packages calls a function with each package, now and as packages register, and switches a
	// package's sites on only after that.
	Packages func(func(*rt.Package))

	Groups []format.Group // of the program, as far as it has any yet; see Recorder.AddGroups

	// Values returns what is recorded of values in a program that was built with the given settings;
	// nil: nothing is recorded.
	Values func(settings string) Values
	Built  string // settings of the packages that have registered
	Hidden bool   // no values are recorded, whatever Values returns

	HidePanics bool // no values of panics are recorded: any function may raise them

	// MaxSize is the size of a trace file, in bytes, at which recording ends or the next part begins;
	// 0 is no limit.
	MaxSize int64
	Rotate  int // number of parts to keep; 0: no parts, recording ends at MaxSize

	Waiting bool // say when goroutines run, are ready and wait

	Objects bool // say how many heap objects calls make, and of which types they are

	Budget budget.Limit // what recording may add to the program's CPU time
	Govern Govern       // with a budget

	// Disk is the bytes that recordings of tests in one folder may take together. Events of tests that
	// passed are given back, and of tests that run long those in the middle. 0: all events stay.
	Disk int64

	// Timeout is the limit of go test for the tests, which is stretched by what tracing takes; 0: it
	// is not.
	Timeout time.Duration

	// Facts are about the program, with the keys of format.Meta, if it is not the running one. Nil: they
	// are found.
	Facts []format.KeyValue
}

// Govern is how a budget is kept.
type Govern struct {
	Limit  func(site uint32, level uint8) // gives a site another level than format.LevelFull
	Sample func(group uint32)             // has calls of demoted sites recorded, as budget.Sampling chooses
	Rank   func(site uint32) int          // sites of higher rank are demoted last
	Over   func()                         // the recording has ended by itself: nothing is wanted any more
}

// Set takes over a setting of WAYMARK or of the command's flags, and reports whether there is one with
// that key here.
func (c *Config) Set(key string, v setting.Value) (known bool) {
	switch key {
	case "overflow":
		c.Overflow = rt.Overflow(v.N) // its values are in the order of the choices
	case "buffers":
		c.Buffers = int(v.N)
	case "window":
		c.Window = time.Duration(v.N)
	case "dump-at-exit":
		c.DumpAtExit = v.On()
	case "waiting":
		c.Waiting = v.On()
	case "objects":
		c.Objects = v.On()
	case "max-size":
		c.MaxSize = v.N
	case "rotate":
		c.Rotate = int(v.N)
	case "budget":
		c.Budget = budget.Limit{Text: v.Text, Share: v.Share, Strict: v.Strict}
	case "disk":
		c.Disk = v.N
	case "timeout":
		c.Timeout = time.Duration(v.N)
	default:
		return false
	}
	return true
}

// Check returns a setting.Error if a setting does not fit the others.
func (c *Config) Check() error {
	ring := c.Overflow == rt.Ring
	switch {
	case c.Window > 0 && !ring:
		return &setting.Error{Key: "window", Value: c.Window.String(), Want: "overflow=ring with it: only a ring has a window"}
	case c.DumpAtExit && !ring:
		return &setting.Error{Key: "dump-at-exit", Value: "1", Want: "overflow=ring with it: all else is written as it happens"}
	case c.MaxSize > 0 && ring:
		return &setting.Error{Key: "max-size", Value: strconv.FormatInt(c.MaxSize, 10), Want: "overflow=block or drop with it: what a ring writes is bounded by buffers"}
	case c.Budget.Given() && ring:
		return &setting.Error{Key: "budget", Value: c.Budget.Text, Want: "overflow=block or drop with it: nobody looks at the calls in a ring"}
	case c.Disk > 0 && (ring || c.MaxSize > 0):
		return &setting.Error{Key: "disk", Value: strconv.FormatInt(c.Disk, 10), Want: "neither max-size nor overflow=ring with it: it bounds the files itself"}
	case c.Rotate > 0 && c.MaxSize == 0:
		return &setting.Error{Key: "rotate", Value: strconv.Itoa(c.Rotate), Want: "max-size with it: the size of a part"}
	}
	return nil
}
