package recorder

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A recording that is rotated is written to one file after the other. The newest part always has
// the name that the user gave. A part that is full gets a name with its number, FILE.part0.wmt, and
// a new file takes its place.
//
// A kill may come at any moment of that. Therefore the new file has all sites before it gets the
// name, and there is a file of that name at any moment. The full part gets its End last: until then
// a reader completes it from the arena, as any trace file. The arena says which part it belongs to,
// so that the readers of earlier parts leave the arena alone.

const (
	partWord   = "part"
	nextSuffix = ".next" // appended to the name until the new file has it
)

// turn begins the next part, or ends recording if there are none.
func (r *Recorder) turn() {
	r.flush() // frees all chunks that were written: what the arena holds then is for the new part
	if !r.closed {
		r.save() // what is in the journal
	}
	switch {
	case r.closed:
	case r.config.Rotate == 0 || r.overfull(r.out.size+batchSize):
		r.cut()
	default:
		if err := r.nextPart(); err != nil {
			r.fail(err)
		}
	}
}

func (r *Recorder) nextPart() error {
	r.part++
	now := pair(r.rt) // what happened until now is in earlier parts, if not in the arena
	next := output{}
	if r.enc.Outliner != nil {
		next.indexer.Begin()
	}
	meta := append(r.partMeta(), format.KeyValue{Key: format.MetaFrom, Value: strconv.FormatUint(now.Clock, 10)})
	origins, norigin, at := r.preamble(&next, meta...)
	r.firstCounts(&next, now.Clock)
	r.putObjects(&next, now.Clock) // the parts that have them may go before this one has its own
	temporary := r.path + nextSuffix
	var err error
	if next.file, err = create(temporary); err != nil {
		return err
	}
	if err = next.write(); err == nil {
		err = r.out.file.supersede(next.file, partPath(r.path, r.part-1))
	}
	if err != nil {
		next.file.remove()
		next.file.close()
		return err
	}
	format.PutPart(r.arena.mem, r.part)
	full := r.out
	next.buf, full.buf = full.buf[:0], nil
	r.out, r.origins, r.norigin, r.types, r.filling.blocks = next, origins, norigin, at, 0
	err = full.end(now, 0)
	if old := r.part - r.config.Rotate; old >= 0 {
		os.Remove(partPath(r.path, old))
	}
	return err
}

// partMeta returns the Meta that says which recording, and which part of it, a file is.
func (r *Recorder) partMeta() []format.KeyValue {
	meta := slices.Clone(r.identity)
	if r.config.Rotate > 0 {
		meta = append(meta, format.KeyValue{Key: format.MetaPart, Value: strconv.Itoa(r.part)})
	}
	return meta
}

// partPath returns the name of an earlier part of the recording at path.
func partPath(path string, part int) string { return format.Beside(path, partWord+strconv.Itoa(part)) }

// Parts returns the files of the earlier parts of the recording at path, oldest first.
func Parts(path string) []string {
	newest, _ := os.Stat(path)
	return slices.DeleteFunc(numbered(path, partWord), func(name string) bool {
		// A kill may have come when the newest part had got a number, but not yet lost its name.
		fi, err := os.Stat(name)
		return err != nil || os.SameFile(fi, newest) || !isPart(name)
	})
}

// numbered returns the files beside the one at path whose names have word and a number
// in front of the extension, by number.
func numbered(path, word string) []string {
	dir, ext := filepath.Dir(path), filepath.Ext(path)
	prefix := strings.TrimSuffix(filepath.Base(path), ext) + "." + word
	entries, _ := os.ReadDir(dir)
	numbers := make(map[string]int)
	var names []string
	for _, e := range entries {
		digits, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), ext), prefix)
		n, err := strconv.Atoi(digits)
		if ok && err == nil && n >= 0 && e.Name() == prefix+strconv.Itoa(n)+ext && e.Type().IsRegular() {
			name := filepath.Join(dir, e.Name())
			numbers[name] = n
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return names
}

// isPart reports whether the file at path is a part of a rotated recording.
func isPart(path string) bool {
	// Meta is the first block, and has some short facts. The buffer is not on the stack: the program
	// may have set a small limit.
	b := slices.Grow([]byte(nil), 64<<10)[:64<<10]
	n, err := head(path, b)
	if err != nil || format.CheckHeader(b[:n]) != nil {
		return false
	}
	b = b[format.HeaderSize:n]
	h, err := format.ParseBlock(b)
	if err != nil || h.Kind != format.BlockMeta || h.Length > len(b)-format.BlockHeader {
		return false
	}
	meta, _ := format.ParseMeta(b[format.BlockHeader:][:h.Length])
	return slices.ContainsFunc(meta, func(kv format.KeyValue) bool { return kv.Key == format.MetaPart })
}

// removeParts removes the earlier parts of the recording that another one replaces.
func removeParts(path string) {
	for _, name := range Parts(path) {
		os.Remove(name) // it is a part
	}
	// A kill may have come before anything was written to it.
	if next := path + nextSuffix; Replaceable(next) == nil {
		os.Remove(next)
	}
}
