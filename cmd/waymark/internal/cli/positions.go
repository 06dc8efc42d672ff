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

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
)

// positions is a writer for the go command's output. Where the compiler and vet name a rewritten
// file, it writes the name of the user's file.
type positions struct {
	w        io.Writer
	dir      string                // where the command runs
	original map[string]string     // by rewritten file
	runs     map[string][]edit.Run // by rewritten file: what it keeps of the original
	texts    map[string][]byte     // of files that have been read
	pending  []byte                // of a line that has not ended
}

func newPositions(w io.Writer, dir string, overlay map[string]string, files []build.File) *positions {
	p := &positions{w: w, dir: dir, original: make(map[string]string), runs: make(map[string][]edit.Run), texts: make(map[string][]byte)}
	for from, to := range overlay {
		if strings.HasSuffix(from, ".go") {
			p.original[to] = from
		}
	}
	for _, f := range files {
		p.runs[f.Cached] = f.Runs
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
		// Where a relative path is shorter, the go command and vet print that.
		rewritten := string(m[1])
		if !filepath.IsAbs(rewritten) {
			rewritten = filepath.Join(p.dir, rewritten)
		}
		file, ok := p.original[rewritten]
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
		if column = p.moved(file, rewritten, line, column); column > 0 {
			out = fmt.Appendf(out, ":%d", column)
		}
		return out
	})
}

// short returns a file's name as the go command does.
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

// moved returns the column in the user's file for a line and column of the rewritten file. The line
// is the same in both. For code that the rewriter has inserted it returns 0.
func (p *positions) moved(file, rewritten string, line, column int) int {
	start, old := lineStart(p.text(rewritten), line), lineStart(p.text(file), line)
	if column < 1 || start < 0 || old < 0 {
		return 0
	}
	runs := p.runs[rewritten]
	if runs == nil { // a copy, as it was
		return column
	}
	offset, ok := edit.Original(runs, start+column-1)
	if !ok || offset < old {
		return 0
	}
	return offset - old + 1
}

// text returns what is in a file, nil if it can't be read.
func (p *positions) text(file string) []byte {
	text, ok := p.texts[file]
	if !ok {
		text, _ = os.ReadFile(file)
		p.texts[file] = text
	}
	return text
}

// lineStart returns the offset of a line, counted from 1; -1 if there is none.
func lineStart(text []byte, line int) int {
	start := 0
	for ; line > 1; line-- {
		end := bytes.IndexByte(text[start:], '\n')
		if end < 0 {
			return -1
		}
		start += end + 1
	}
	if line < 1 || start >= len(text) {
		return -1
	}
	return start
}
