package seen

import (
	"encoding/binary"
	"math/bits"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/turns"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// tests notes what each test of the program calls. All functions are armed again at each turn.
type tests struct {
	*turns.Tests[calls]
	file   *File
	pkg    string // import path of the package that is tested
	take   func() []uint32
	reset  func()
	failed bool
}

// calls are what a test has called: a bit for each site.
type calls []uint32

func newTests(file *File, pkg string, take func() []uint32, reset func()) *tests {
	t := &tests{file: file, pkg: pkg, take: take, reset: reset}
	t.Tests = turns.New(t.latest, t.write)
	return t
}

// WatchTests has the file say which functions each test calls, if the go command runs the program to test
// a package.
func (f *File) WatchTests() {
	rt.SeenOnTests(func(importPath string) {
		latest := make([]uint32, format.SeenSites/32)
		t := newTests(f, importPath, func() []uint32 {
			b := make([]uint32, min(int(rt.Sites()+31)/32, len(latest)))
			rt.SeenTake(b)
			return b
		}, rt.SeenReset)
		t.write("", f.called(), false)
		rt.SeenLatest(latest)
		rt.SeenOnTests(nil, func(state uint8, name string) {
			t.Tell(format.TestState(state), name)
		})
	}, nil)
}

// called returns the functions that were ever called.
func (f *File) called() *calls {
	const half = (format.SeenTables - format.SeenBits) / 2
	c := make(calls, half/4)
	for i := range c {
		c[i] = binary.LittleEndian.Uint32(f.mem[format.SeenBits+half+4*i:])
	}
	return &c
}

// latest returns what adds that which was called since the latest turn, and arms all functions again.
func (t *tests) latest() (add func(*calls)) {
	latest := t.take()
	t.reset()
	return func(c *calls) {
		for i, b := range latest {
			if i == len(*c) {
				*c = append(*c, 0)
			}
			(*c)[i] |= b
		}
	}
}

// write appends what a test has called to the file.
func (t *tests) write(test string, c *calls, overlapped bool) {
	of := format.SeenTest{Package: t.pkg, Test: test, Overlapped: overlapped}
	for i, b := range *c {
		for ; b != 0; b &= b - 1 {
			of.Sites = append(of.Sites, uint32(i*32+bits.TrailingZeros32(b)))
		}
	}
	if len(of.Sites) == 0 || t.failed {
		return
	}
	if err := t.file.add(format.AppendSeenTest(nil, of)); err != nil {
		t.failed = true
		console.Say("seen: %v; what tests call from %s on is missing", err, test)
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
