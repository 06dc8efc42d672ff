package cover

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// marks are comments in a file that stand where another text belongs.
type marks struct {
	text []byte // the user's text with a comment before and one behind each part that is replaced
	name string // that the comments begin with
	list []replacement
}

// A replacement is what waymark put in the place of a part of the user's text, which may be
// empty.
type replacement struct{ old, new []byte }

// mark puts comments into the user's text.
func (in *input) mark() (*marks, error) {
	old, err := os.ReadFile(in.read)
	if err != nil {
		return nil, err
	}
	rewritten, err := os.ReadFile(in.Rewritten)
	if err != nil {
		return nil, err
	}
	m := &marks{name: "waymark"}
	for i := 0; bytes.Contains(old, []byte("/*"+m.name)); i++ {
		m.name = fmt.Sprint("waymark", i, ".")
	}
	from, to := 0, 0
	put := func(oldEnd, newEnd int) {
		if oldEnd == from && newEnd == to {
			return
		}
		n := len(m.list)
		m.list = append(m.list, replacement{old[from:oldEnd], rewritten[to:newEnd]})
		m.text = append(m.text, m.comment(n, "<")...)
		m.text = append(m.text, old[from:oldEnd]...)
		m.text = append(m.text, m.comment(n, ">")...)
	}
	for _, r := range in.Runs {
		if r.Old < from || r.New < to || r.Size < 1 || r.Old+r.Size > len(old) || r.New+r.Size > len(rewritten) ||
			!bytes.Equal(old[r.Old:r.Old+r.Size], rewritten[r.New:r.New+r.Size]) {
			return nil, fmt.Errorf("-cover: %s has changed since it was rewritten: build again", in.path)
		}
		put(r.Old, r.New)
		from, to = r.Old+r.Size, r.New+r.Size
		m.text = append(m.text, old[r.Old:from]...)
	}
	put(len(old), len(rewritten))
	return m, nil
}

func (m *marks) comment(n int, side string) []byte {
	return fmt.Appendf(nil, "/*%s%d%s*/", m.name, n, side)
}

// replace returns marked, what cover made of the text with comments, with waymark's texts in
// their places. plain is what cover made of the text without.
func (m *marks) replace(marked, plain []byte) ([]byte, error) {
	var out, without []byte
	lost := errors.New("cover does not keep comments: waymark does not know this toolchain's cover")
	for i, r := range m.list {
		before, rest, ok := bytes.Cut(marked, m.comment(i, "<"))
		if !ok {
			return nil, lost
		}
		within, rest, ok := bytes.Cut(rest, m.comment(i, ">"))
		// What cover inserts belongs to the statement that follows, so it stays before it.
		counter, known := bytes.CutSuffix(within, r.old)
		switch {
		case !ok:
			return nil, lost
		case !known:
			return nil, errors.New("cover inserts code where waymark replaces some: " +
				"leave the file's functions out with --exclude, and please report it")
		}
		out = append(append(append(out, before...), counter...), r.new...)
		without = append(append(without, before...), within...)
		marked = rest
	}
	out, without = append(out, marked...), append(without, marked...)
	if !bytes.Equal(without, plain) {
		return nil, errors.New("cover counts something else when there is a comment where waymark inserts code: " +
			"leave the file's functions out with --exclude, and please report it")
	}
	return out, nil
}
