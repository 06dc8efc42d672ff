package seen

import (
	"encoding/binary"
	"math/bits"
	"os"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/internal/console"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/rt"
)

// tests notes what each test of the program calls. All functions are armed again whenever a test of the
// top level begins to run or ends: what is called until the next such moment is all the tests' that run
// meanwhile, their subtests' and that of goroutines they have left behind.
type tests struct {
	file  *File
	pkg   string // import path of the package that is tested
	take  func() []uint32
	reset func()

	mu      sync.Mutex
	running map[string]int    // how many tests and subtests run, by the test of the top level
	called  map[string]*calls // of these
	failed  bool
}

// calls are what a test has called.
type calls struct {
	bits       []uint32 // by site
	overlapped bool
}

// WatchTests has the file say which functions each test calls, if the go command runs the program to test
// a package.
func (f *File) WatchTests() {
	rt.SeenOnTests(func(importPath string) {
		rt.Mute(true)
		defer rt.Mute(false)
		latest := make([]uint32, format.SeenSites/32)
		t := &tests{file: f, pkg: importPath, running: make(map[string]int), called: make(map[string]*calls), reset: rt.SeenReset}
		t.take = func() []uint32 {
			b := make([]uint32, min(int(rt.Sites()+31)/32, len(latest)))
			rt.SeenTake(b)
			return b
		}
		rt.SeenLatest(latest)
		rt.SeenOnTests(nil, func(state uint8, name string) {
			rt.Mute(true)
			defer rt.Mute(false)
			t.tell(format.TestState(state), name)
		})
	}, nil)
}

// tell takes note of what happens to a test.
func (t *tests) tell(state format.TestState, name string) {
	more := 0
	switch state {
	case format.TestBegins, format.TestContinues:
		more = 1
	case format.TestPauses, format.TestPasses, format.TestFails, format.TestSkips, format.TestPanics:
		more = -1
	default:
		return
	}
	if os.Getpid() != t.file.pid {
		return
	}
	top, _, _ := strings.Cut(name, "/")
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.running[top] + more
	if n > 0 && n != more {
		t.running[top] = n
		return // others of the same test run
	}
	t.turn()
	if n > 0 {
		t.running[top] = n
		return
	}
	delete(t.running, top)
	if c := t.called[top]; c != nil {
		t.write(top, c)
		delete(t.called, top)
	}
}

// turn attributes what was called to the tests that run, and arms all functions again.
func (t *tests) turn() {
	latest := t.take()
	for top := range t.running {
		c := t.called[top]
		if c == nil {
			c = new(calls)
			t.called[top] = c
		}
		c.overlapped = c.overlapped || len(t.running) > 1
		for i, b := range latest {
			if i == len(c.bits) {
				c.bits = append(c.bits, 0)
			}
			c.bits[i] |= b
		}
	}
	t.reset()
}

// write appends what a test has called to the file.
func (t *tests) write(top string, c *calls) {
	of := format.SeenTest{Package: t.pkg, Test: top, Overlapped: c.overlapped}
	for i, b := range c.bits {
		for ; b != 0; b &= b - 1 {
			of.Sites = append(of.Sites, uint32(i*32+bits.TrailingZeros32(b)))
		}
	}
	if len(of.Sites) == 0 || t.failed {
		return
	}
	if err := t.file.add(format.AppendSeenTest(nil, of)); err != nil {
		t.failed = true
		console.Say("seen: %v; what tests call from %s on is missing", err, top)
	}
}

// add appends a block behind all that are in the file.
func (f *File) add(block []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	fd, st, err := f.again()
	if err != nil {
		return err
	}
	defer release(fd)
	for {
		var head [format.SeenTableHeader]byte
		if n, err := read(fd, head[:], f.at); err != nil {
			return f.failure("read", err)
		} else if n < len(head) {
			break
		}
		next := f.at + int64(len(head)) + int64(binary.LittleEndian.Uint32(head[:]))
		if next > st.Size {
			break // its writer was killed
		}
		f.at = next
	}
	return f.put(fd, block)
}
