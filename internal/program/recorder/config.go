package recorder

import (
	"fmt"
	"strconv"
	"time"

	"github.com/waymark-go/waymark/internal/program/budget"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Config says what to record and where to.
type Config struct {
	Path     string      // of the trace file; an existing trace file is replaced
	Overflow rt.Overflow // what to do when buffers are full; default is to wait
	Buffers  int         // memory for buffers, bytes; default is defaultBuffers

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
	Hidden bool // no values are recorded, whatever Values returns

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
}

// Govern is how a budget is kept.
type Govern struct {
	Limit  func(site uint32, level uint8) // gives a site another level than format.LevelFull
	Sample func(group uint32)             // has calls of demoted sites recorded, as samples of a group, until it is called with 0
	Rank   func(site uint32) int          // sites of higher rank are demoted last
	Over   func()                         // the recording has ended by itself: nothing is wanted any more
}

// Sizes, in bytes.
const (
	// defaultBuffers is the memory for buffers. Only a ring takes the whole of it at once.
	defaultBuffers = 64 << 20

	// minBuffers has a chunk for each of a few Ps, and the reserve of the hooks that can't wait.
	minBuffers = 2 << 20

	// minMaxSize leaves room for the sites of a large program.
	minMaxSize = 1e6

	// minDisk leaves room for the sites and the buffers of a program.
	minDisk = 64e6
)

// overflows lists the names of rt.Overflow.
var overflows = [...]string{rt.Block: "block", rt.Drop: "drop", rt.Ring: "ring"}

// A SettingError is a value that a setting can't have.
type SettingError struct{ Key, Value, Want string }

func (e *SettingError) Error() string { return fmt.Sprintf("%s=%s: want %s", e.Key, e.Value, e.Want) }

// Keys are those that Set knows.
var Keys = []string{"overflow", "buffers", "window", "dump-at-exit", "max-size", "rotate", "budget", "disk", "timeout", "waiting", "objects"}

// Set sets the setting of that name, of WAYMARK or of the command's flags, and reports whether there
// is such a setting. Its error is a SettingError.
func (c *Config) Set(key, value string) (known bool, err error) {
	wrong := func(want string, args ...any) (bool, error) {
		return true, &SettingError{key, value, fmt.Sprintf(want, args...)}
	}
	switch key {
	case "overflow":
		for i, name := range overflows {
			if value == name {
				c.Overflow = rt.Overflow(i)
				return true, nil
			}
		}
		return wrong("block, drop or ring")
	case "buffers":
		n, err := parseSize(value)
		if err != nil {
			return wrong("%v", err)
		}
		if c.Buffers = int(n); n < minBuffers || int64(c.Buffers) != n {
			return wrong("at least %d bytes, and what memory holds", minBuffers)
		}
	case "window":
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return wrong("a time above 0, as in 10s or 500ms")
		}
		c.Window = d
	case "dump-at-exit":
		on, err := strconv.ParseBool(value)
		if value != "" && err != nil {
			return wrong("1 or 0")
		}
		c.DumpAtExit = value == "" || on
	case "waiting":
		on, err := strconv.ParseBool(value)
		if value != "" && err != nil {
			return wrong("1 or 0")
		}
		c.Waiting = value == "" || on
	case "objects":
		on, err := strconv.ParseBool(value)
		if value != "" && err != nil {
			return wrong("1 or 0")
		}
		c.Objects = value == "" || on
	case "max-size":
		n, err := parseSize(value)
		if err != nil {
			return wrong("%v", err)
		}
		if n < minMaxSize {
			return wrong("at least %d bytes", int(minMaxSize))
		}
		c.MaxSize = n
	case "rotate":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return wrong("the number of parts to keep, 1 or more")
		}
		c.Rotate = n
	case "budget":
		limit, err := budget.Parse(value)
		if err != nil {
			return wrong("%v", err)
		}
		c.Budget = limit
	case "disk":
		n, err := parseSize(value)
		if err != nil {
			return wrong("%v", err)
		}
		if n < minDisk {
			return wrong("at least %d bytes", int(minDisk))
		}
		c.Disk = n
	case "timeout":
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return wrong("a time above 0, as in 10m")
		}
		c.Timeout = d
	default:
		return false, nil
	}
	return true, nil
}

// Check returns a SettingError if a setting does not fit the others.
func (c *Config) Check() error {
	ring := c.Overflow == rt.Ring
	switch {
	case c.Window > 0 && !ring:
		return &SettingError{"window", c.Window.String(), "overflow=ring with it: only a ring has a window"}
	case c.DumpAtExit && !ring:
		return &SettingError{"dump-at-exit", "1", "overflow=ring with it: all else is written as it happens"}
	case c.MaxSize > 0 && ring:
		return &SettingError{"max-size", strconv.FormatInt(c.MaxSize, 10), "overflow=block or drop with it: what a ring writes is bounded by buffers"}
	case c.Budget.Given() && ring:
		return &SettingError{"budget", c.Budget.Text, "overflow=block or drop with it: nobody looks at the calls in a ring"}
	case c.Disk > 0 && (ring || c.MaxSize > 0):
		return &SettingError{"disk", strconv.FormatInt(c.Disk, 10), "neither max-size nor overflow=ring with it: it bounds the files itself"}
	case c.Rotate > 0 && c.MaxSize == 0:
		return &SettingError{"rotate", strconv.Itoa(c.Rotate), "max-size with it: the size of a part"}
	}
	return nil
}
