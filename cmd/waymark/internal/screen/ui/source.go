package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Source is a source file, or a note why there is none.
type Source struct {
	File  string   `json:"file"`
	Lines []string `json:"lines"`
	Note  string   `json:"note"`
}

// mostSource bounds a source file.
const mostSource = 8 << 20

// ReadSource reads a source file, with this process's rights. A note says if it was changed after a moment that what
// names. The caller is to make sure that a function is in the file: nothing else must be read.
func ReadSource(name string, after time.Time, what string) Source {
	s := Source{File: name, Lines: []string{}}
	if !filepath.IsAbs(name) { // of a program that was built with -trimpath
		s.Note = "The program doesn't say in which folder the file is."
		return s
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		s.Note = fmt.Sprintf("The file can't be read here: %v.", err)
		return s
	case !info.Mode().IsRegular() || info.Size() > mostSource:
		s.Note = "This is no source file: it is too large, or not a regular file."
		return s
	case info.ModTime().After(after):
		s.Note = fmt.Sprintf("The file was changed after %s: lines may have moved.", what)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		s.Note = fmt.Sprintf("The file can't be read here: %v.", err)
		return s
	}
	s.Lines = strings.Split(strings.TrimSuffix(strings.ToValidUTF8(string(text), "\uFFFD"), "\n"), "\n")
	return s
}
