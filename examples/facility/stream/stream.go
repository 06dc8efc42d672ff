// Package stream is the example of the document that waymark's groups and monitors come from, made
// Go. It has a stream of integers whose functions are in groups.
package stream

import (
	"errors"

	"github.com/waymark-go/waymark"
)

// The groups. IO contains the others.
var (
	IORead  = waymark.NewGroup("IORead")
	IOWrite = waymark.NewGroup("IOWrite")
	IO      = waymark.NewGroup("IO", IORead, IOWrite)
)

// ErrEmpty is what reading from an empty stream gives.
var ErrEmpty = errors.New("the stream is empty")

// A Stream keeps what was written until it is read.
//
//waymark:group IORead IOWrite
type Stream struct{ values []int64 }

// ReadInt reads an integer.
//
//waymark:group IORead
func (s *Stream) ReadInt() (int, error) {
	v, err := s.next()
	return int(v), err
}

// ReadLong reads an integer of 64 bits.
//
//waymark:group IORead
func (s *Stream) ReadLong() (int64, error) { return s.next() }

// WriteInt writes an integer.
//
//waymark:group IOWrite
func (s *Stream) WriteInt(arg int) { s.values = append(s.values, int64(arg)) }

// WriteLong writes an integer of 64 bits.
//
//waymark:group IOWrite
func (s *Stream) WriteLong(arg int64) {
	if arg%2 != 0 {
		s.interestingWriteLong("An odd value", arg)
	}
	s.values = append(s.values, arg)
}

//waymark:info
func (s *Stream) interestingWriteLong(msg string, value int64) {}

// next is in no group.
func (s *Stream) next() (int64, error) {
	if len(s.values) == 0 {
		return 0, ErrEmpty
	}
	v := s.values[0]
	s.values = s.values[1:]
	return v, nil
}
