// Package table writes tables of Markdown, and puts generated text into documents.
package table

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// Write writes a table. Each row has as many cells as the header.
func Write(w io.Writer, header []string, rows [][]string) error {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| ")
			b.WriteString(strings.ReplaceAll(c, "|", `\|`))
			b.WriteString(" ")
		}
		b.WriteString("|\n")
	}
	line(header)
	b.WriteString(strings.Repeat("|---", len(header)) + "|\n")
	for _, r := range rows {
		if len(r) != len(header) {
			return fmt.Errorf("row %q has %d cells, the header %d", r, len(r), len(header))
		}
		line(r)
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Insert replaces what stands in a file between the lines
//
//	<!-- NAME: ... -->
//	<!-- END NAME -->
//
// by text.
func Insert(file, name, text string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin := bytes.Index(b, []byte("<!-- "+name+": "))
	end := bytes.Index(b, []byte("<!-- END "+name+" -->"))
	if begin < 0 || end < begin {
		return fmt.Errorf("%s: no lines `<!-- %s: ... -->` and `<!-- END %[2]s -->`; put them where the tables belong", file, name)
	}
	begin += bytes.IndexByte(b[begin:], '\n') + 1
	out := string(b[:begin]) + "\n" + strings.TrimSpace(text) + "\n\n" + string(b[end:])
	return os.WriteFile(file, []byte(out), 0o666)
}
