package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// positions is a writer for what the go command says. It puts the user's files in the
// place of the rewritten ones that the compiler and vet name.
type positions struct {
	w        io.Writer
	dir      string            // where the command runs
	original map[string]string // by rewritten file
	lines    map[string][][]byte
	pending  []byte // of a line that has not ended
}

func newPositions(w io.Writer, dir string, overlay map[string]string) *positions {
	p := &positions{w: w, dir: dir, original: make(map[string]string), lines: make(map[string][][]byte)}
	for from, to := range overlay {
		if strings.HasSuffix(from, ".go") {
			p.original[to] = from
		}
	}
	return p
}

func (p *positions) Write(b []byte) (int, error) {
	end := bytes.LastIndexByte(b, '\n') + 1
	if end == 0 {
		p.pending = append(p.pending, b...)
		return len(b), nil
	}
	text := append(p.pending, b[:end]...)
	p.pending = append([]byte(nil), b[end:]...)
	_, err := p.w.Write(p.translate(text))
	return len(b), err
}

// Flush writes a last line that did not end.
func (p *positions) Flush() error {
	_, err := p.w.Write(p.translate(p.pending))
	p.pending = nil
	return err
}

var position = regexp.MustCompile(`([^\s:"]+\.go)(?::(\d+)(?::(\d+))?)?`)

func (p *positions) translate(text []byte) []byte {
	return position.ReplaceAllFunc(text, func(found []byte) []byte {
		m := position.FindSubmatch(found)
		file, ok := p.original[string(m[1])]
		if !ok {
			return found
		}
		out := []byte(p.short(file))
		if len(m[2]) == 0 {
			return out
		}
		out = fmt.Appendf(out, ":%s", m[2])
		line, _ := strconv.Atoi(string(m[2]))
		column, _ := strconv.Atoi(string(m[3]))
		if column = moved(p.line(file, line), p.line(string(m[1]), line), column); column > 0 {
			out = fmt.Appendf(out, ":%d", column)
		}
		return out
	})
}

// short gives a file's name as the go command does.
func (p *positions) short(file string) string {
	rel, err := filepath.Rel(p.dir, file)
	if err != nil || len(rel) >= len(file) {
		return file
	}
	if !strings.ContainsRune(rel, filepath.Separator) {
		return "." + string(filepath.Separator) + rel
	}
	return rel
}

// line gives a line of a file, nil if it can't be read.
func (p *positions) line(file string, n int) []byte {
	lines, ok := p.lines[file]
	if !ok {
		if data, err := os.ReadFile(file); err == nil {
			lines = bytes.Split(data, []byte("\n"))
		}
		p.lines[file] = lines
	}
	if n < 1 || n > len(lines) {
		return nil
	}
	return lines[n-1]
}

// moved gives the column in the original line of what is at a column of the rewritten
// one: the rewriter inserts text, and so that is known before the first and behind
// the last insertion. 0 is unknown.
func moved(original, rewritten []byte, column int) int {
	if column < 1 || column > len(rewritten) {
		return 0
	}
	n := 0
	for n < len(original) && original[n] == rewritten[n] {
		n++
	}
	if column <= n {
		return column
	}
	n = 0
	for n < len(original) && original[len(original)-1-n] == rewritten[len(rewritten)-1-n] {
		n++
	}
	if back := len(rewritten) - column; back < n {
		return len(original) - back
	}
	return 0
}
