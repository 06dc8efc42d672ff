package tracefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/value"
)

// A File is an open trace file. Its methods, except Close, may be called from
// several goroutines at a time; an Events belongs to one.
type File struct {
	r       io.ReaderAt
	closer  io.Closer // of r; nil if it isn't ours
	size    int64     // bytes
	path    string    // the name that it was opened by
	version int       // of the format

	// Of a recording in several files, see parts.go.
	parts   []*File // what r is made of; nil if it is one file
	missing int     // parts in between that aren't there

	// What the index found, see index.go.
	meta      map[string]string
	funcs     funcTables
	groups    format.GroupIndex
	origins   map[uint32]Origin
	types     map[uint32]value.Type
	tests     []TestEvent
	counts    []counts           // in the file's order
	pairs     []format.ClockPair // the first and the last; one or none if there are no more
	time      timeline
	trailer   *format.Trailer // nil without an End block
	streams   []*stream       // by id
	indexes   []extent        // Index blocks
	outlines  outlines
	blocks    int
	objects   []TypeCount // as the latest block says, of the clock objectsAt
	given     givenBack   // see gap.go
	objectsAt uint64
	tail      int64 // offset behind the last readable block

	// What recovery added, see recover.go.
	live        bool
	recovered   uint64
	stopped     uint64 // flags of the trailer that there should be
	recoveryErr error
	unsavedErr  error

	countsOnce  sync.Once
	countsOf    []counts // in the order of time, see countsIn
	demotedOnce sync.Once
	demotions   []Demotion

	lastOnce sync.Once
	last     uint64 // see lastClock

	mu      sync.Mutex // guards what follows, and the damaged fields of blocks
	found   tally      // what can be read, as far as is known
	damaged int64      // bytes
	started uint64     // goroutines, known after Verify
}

// A tally counts events in blocks.
type tally struct{ events, lost uint64 }

// Open opens the trace file at path.
//
// A recording program keeps its buffers in a file next to the trace file, the arena, until it has
// written the last block. If the program was killed, the first Open that may write to the trace file
// and its folder completes the recording: it appends what the arena holds, marks the file as
// recovered, and removes the arena. An Open that may not write reads the same events and leaves both
// files alone. An Open that finds the program alive reads what has been recorded so far.
//
// Errors wrap ErrNotTrace or ErrVersion if the file is none that this package
// reads, else what the operating system reports. Damage is no error: what can be
// read is read, and Info says how much could not.
func Open(path string) (*File, error) {
	// A FIFO would block in os.Open, and can't be read at random.
	if fi, err := os.Stat(path); err != nil {
		return nil, err
	} else if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file: %w", path, format.ErrNotTrace)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := openFile(file)
	if err == nil {
		f, err = recoverFile(f, file, path)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.closer, f.path = file, path
	return f, nil
}

// openFile is NewFile for all that file holds now.
func openFile(file *os.File) (*File, error) {
	fi, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return NewFile(file, fi.Size())
}

// NewFile reads the size bytes of a trace file from r, which must stay
// unchanged while the File is used. If r has a method Name, as an os.File has, it
// gives the File's Path. Errors are those of Open; nothing is recovered.
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	path := ""
	if named, ok := r.(interface{ Name() string }); ok {
		path = named.Name()
	}
	r = io.NewSectionReader(r, 0, max(size, 0))
	header := make([]byte, format.HeaderSize)
	n, err := r.ReadAt(header, 0)
	if err != nil && !isEOF(err) {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("empty: %w", format.ErrNotTrace)
	}
	switch err := format.CheckHeader(header[:n]); {
	case errors.Is(err, format.ErrVersion):
		return nil, fmt.Errorf("%w: use that one", err)
	case err != nil:
		return nil, err
	}
	f := &File{
		r: r, size: size, path: path, version: format.VersionOf(header),
		meta: make(map[string]string), origins: make(map[uint32]Origin), types: make(map[uint32]value.Type),
	}
	if err := buildIndex(f); err != nil {
		return nil, err
	}
	return f, nil
}

// Path returns the name that the file was opened by, "" if it isn't known; of
// several parts the first one's.
func (f *File) Path() string { return f.path }

// Close closes the file that Open opened.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Origin returns the go statement with the given id, as in Event.Origin, and reports whether the
// file has it.
func (f *File) Origin(id uint32) (Origin, bool) {
	o, ok := f.origins[id]
	return o, ok
}

// Type returns the type with the given id, as in the values of events, and reports whether the file
// has it. It is for value.Decode.
func (f *File) Type(id uint32) (value.Type, bool) {
	if t, ok := value.Predeclared(id); ok {
		return t, true
	}
	t, ok := f.types[id]
	return t, ok
}

// Tests returns what happened to the tests of a test binary, in the order of time. The
// result must not be changed.
func (f *File) Tests() []TestEvent { return f.tests }

func isEOF(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
