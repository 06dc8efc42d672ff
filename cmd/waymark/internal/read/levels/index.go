package levels

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/permission"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/tracefile"
)

// Extension is that of the index of a recording, behind the recording's whole name.
const Extension = ".levels"

// Options say how an index is made. The zero value is good for all.
type Options struct {
	Workers  int                    // that read at a time; 0 is as many as there are processors
	Progress func(read, all uint64) // unless nil, is told how many events have been read
	Cache    string                 // folder for indexes of recordings in folders that can't be written; "" is none
}

// An Index answers questions about a process's recording. Its methods may be called by several
// goroutines at a time.
type Index struct {
	*contents
	Path string // of its file; "" if that has no name, because the recording may still change
	New  bool   // it was made by Open, and not found

	p       *recording.Process
	f       *os.File
	sketch  calltree.Sketch // limits of levels
	groups  []Group
	byStart []int32 // indexes of lanes
}

// Open returns the index of a recording: the one that it has, or a new one. An index that is
// damaged, or of other files than the recording's, as these were written to since, is made anew.
//
// The index is kept beside the recording, or else in Options.Cache. If a recording is still being
// written, or its last events could not be saved, its index is in a file without a name. That index
// is of what was recorded when the recording was opened. If the context ends while an index is
// made, Open leaves nothing behind and returns its error.
func Open(ctx context.Context, p *recording.Process, o Options) (*Index, error) {
	identity, err := identify(p.File)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	var paths []string
	if identity != "" {
		paths = append(paths, p.File.Path()+Extension)
		if o.Cache != "" {
			abs, err := filepath.Abs(p.File.Path())
			if err != nil {
				return nil, err
			}
			name := sha256.Sum256([]byte(abs))
			paths = append(paths, filepath.Join(o.Cache, hex.EncodeToString(name[:16])+Extension))
		}
		for _, path := range paths {
			if x := found(p, path, identity); x != nil {
				if path != paths[0] {
					now := time.Now()
					os.Chtimes(path, now, now) // the cache keeps what was used lately
				}
				return x, nil
			}
		}
	}
	var errs []error
	for _, path := range paths {
		if path != paths[0] {
			if err := os.MkdirAll(o.Cache, 0o700); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		x, err := create(ctx, p, path, identity, o)
		if err == nil {
			return x, nil
		}
		errs = append(errs, err)
		if !mayBeElsewhere(err) {
			break
		}
	}
	if len(paths) == 0 {
		x, err := create(ctx, p, "", "", o)
		if err == nil {
			return x, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("index of %s: %w; set WAYMARKCACHE to a folder on a disk with room, or copy the recording to one", p.File.Path(), errors.Join(errs...))
}

// found returns the index at path, nil if there is none that is whole and of this recording.
func found(p *recording.Process, path, identity string) *Index {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	c, err := load(f)
	if err != nil || c.Identity != identity {
		f.Close()
		return nil
	}
	return newIndex(p, c, f, path)
}

// create makes the index at path. It gets its name when it is whole. Without a path it gets none.
func create(ctx context.Context, p *recording.Process, path, identity string, o Options) (*Index, error) {
	dir, base := os.TempDir(), "waymark"
	if path != "" {
		dir, base = filepath.Dir(path), filepath.Base(path)
	}
	f, err := temporary(filepath.Join(dir, base), permission.Of(files(p.File)...))
	if err != nil {
		return nil, err
	}
	// What is kept of many goroutines lives long: more of it than of garbage should be in memory.
	percent := debug.SetGCPercent(40)
	x, err := fill(ctx, p, f, path, identity, o)
	debug.SetGCPercent(percent)
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return x, nil
}

// temporary makes a file with a new name that begins with path.
func temporary(path string, mode fs.FileMode) (f *os.File, err error) {
	for tries := 0; tries < 100; tries++ {
		f, err = os.OpenFile(fmt.Sprintf("%s.new-%d", path, rand.Uint32()), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}

// files returns the names of a recording's files.
func files(f *tracefile.File) (names []string) {
	for _, part := range f.Parts() {
		names = append(names, part.Path())
	}
	return names
}

func fill(ctx context.Context, p *recording.Process, f *os.File, path, identity string, o Options) (*Index, error) {
	c, w, err := build(ctx, p, f, o)
	if err != nil {
		return nil, err
	}
	c.Identity = identity
	if err := c.finish(w); err != nil {
		return nil, err
	}
	if path == "" {
		os.Remove(f.Name()) // where the system can't do that now, Close does
	} else {
		// Some systems don't rename files that are open.
		if err := f.Close(); err != nil {
			return nil, err
		}
		if err := os.Rename(f.Name(), path); err != nil {
			return nil, err
		}
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
	}
	x := newIndex(p, c, f, path)
	x.New = true
	return x, nil
}

func newIndex(p *recording.Process, c *contents, f *os.File, path string) *Index {
	x := &Index{contents: c, Path: path, p: p, f: f, sketch: calltree.Sketch{Shift: c.Shift, Levels: c.Levels}}
	x.group()
	return x
}

// Begin returns the clock reading at which the recording begins, or its first event if that is
// earlier.
func (x *Index) Begin() uint64 {
	if len(x.byStart) == 0 {
		return x.Zero
	}
	return min(x.Zero, x.lanes[x.byStart[0]].Start)
}

// Close closes the file of the index.
func (x *Index) Close() error {
	err := x.f.Close()
	if x.Path == "" {
		os.Remove(x.f.Name())
	}
	return err
}

// Size returns the length of the index's file, bytes.
func (x *Index) Size() int64 {
	fi, err := x.f.Stat()
	if err != nil {
		return 0
	}
	return fi.Size()
}

// identify returns what tells a recording from others, and from what it was before it was written to;
// "" if it may still change.
func identify(file *tracefile.File) (string, error) {
	h := sha256.New()
	for _, part := range file.Parts() {
		info := part.Info()
		if info.Live || info.UnsavedErr != nil || info.RecoveryErr != nil || part.Path() == "" {
			return "", nil
		}
		f, err := os.Open(part.Path())
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return "", nil // removed while it is open
			}
			return "", err
		}
		err = identifyPart(h, f, info.Size)
		f.Close()
		if errors.Is(err, errChanged) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

var errChanged = errors.New("written to since it was opened")

// identifyPart adds the size of a file, the time of its last change, its beginning and its end to h.
func identifyPart(h io.Writer, f *os.File, size int64) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if fi.Size() != size || !fi.Mode().IsRegular() {
		return errChanged
	}
	var numbers [16]byte
	binary.LittleEndian.PutUint64(numbers[:], uint64(size))
	binary.LittleEndian.PutUint64(numbers[8:], uint64(fi.ModTime().UnixNano()))
	h.Write(numbers[:])
	const some = 4096
	for _, off := range []int64{0, max(size-some, 0)} {
		if _, err := io.Copy(h, io.NewSectionReader(f, off, some)); err != nil {
			return err
		}
	}
	return nil
}
