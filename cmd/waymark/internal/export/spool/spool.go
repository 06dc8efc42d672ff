// Package spool keeps bytes of many streams that are written in turns, until each stream is read as
// a whole. What doesn't fit into memory is in a temporary file.
package spool

import (
	"errors"
	"io"
	"os"
)

// A Spool holds streams, named by numbers from 0 on.
type Spool struct {
	Limit int // bytes in memory, 0 is 32 MB

	file    *os.File
	size    int64 // of file
	streams []stream
	held    int // bytes in memory
}

// A stream is in the file first, and then in memory.
type stream struct {
	pieces []piece
	rest   []byte
}

type piece struct {
	at int64
	n  int
}

// Add adds a stream and returns its number.
func (s *Spool) Add() int {
	s.streams = append(s.streams, stream{})
	return len(s.streams) - 1
}

// Len returns the number of streams.
func (s *Spool) Len() int { return len(s.streams) }

// Write appends to a stream.
func (s *Spool) Write(stream int, b []byte) error {
	if s.Limit == 0 {
		s.Limit = 32 << 20
	}
	to := &s.streams[stream]
	to.rest = append(to.rest, b...)
	if s.held += len(b); s.held >= s.Limit {
		return s.spill()
	}
	return nil
}

// spill moves what is in memory to the file: of streams with much there, or else all. Many streams
// with little each would make many pieces.
func (s *Spool) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp("", "waymark-export-*")
		if err != nil {
			return err
		}
		os.Remove(f.Name()) // where the system allows it, nothing is left behind, whatever happens
		s.file = f
	}
	average := s.held / len(s.streams)
	for i := range s.streams {
		from := &s.streams[i]
		if len(from.rest) < max(average, 1) {
			continue
		}
		if _, err := s.file.WriteAt(from.rest, s.size); err != nil {
			return err
		}
		from.pieces = append(from.pieces, piece{s.size, len(from.rest)})
		s.size += int64(len(from.rest))
		s.held -= len(from.rest)
		from.rest = nil
	}
	return nil
}

// WriteTo writes a stream.
func (s *Spool) WriteTo(w io.Writer, stream int) error {
	from := &s.streams[stream]
	for _, p := range from.pieces {
		if _, err := io.Copy(w, io.NewSectionReader(s.file, p.at, int64(p.n))); err != nil {
			return err
		}
	}
	_, err := w.Write(from.rest)
	return err
}

// Close forgets all streams.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if removeErr := os.Remove(s.file.Name()); !errors.Is(removeErr, os.ErrNotExist) {
		err = errors.Join(err, removeErr)
	}
	return err
}
