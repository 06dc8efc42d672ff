package ui

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	text, info, err := readSource(name)
	if err != nil {
		s.Note = fmt.Sprintf("The file can't be read here: %v.", err)
		return s
	}
	if info.ModTime().After(after) {
		s.Note = fmt.Sprintf("The file was changed after %s: lines may have moved.", what)
	}
	s.Lines = strings.Split(strings.TrimSuffix(strings.ToValidUTF8(string(text), "\uFFFD"), "\n"), "\n")
	return s
}

// readSource reads a regular file. What is checked is what is read: the name may be of another file meanwhile.
func readSource(name string) ([]byte, fs.FileInfo, error) {
	f, err := openSource(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, errors.New("it is not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, mostSource+1))
	if err == nil && len(text) > mostSource {
		err = fmt.Errorf("it has more than %d MiB", mostSource>>20)
	}
	return text, info, err
}
