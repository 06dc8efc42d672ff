package expression

import (
	"go/scanner"
	"go/token"
	"strings"
	"time"
)

// durations replaces the durations in text by underscores, so that it is Go's syntax. Offsets stay.
// The result has the durations by their offsets.
func durations(text string) (source string, found map[int]time.Duration, err *Error) {
	var s scanner.Scanner
	src := []byte(text)
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, 0) // the parser reports errors
	found = make(map[int]time.Duration)
	out := []byte(text)
	begin, end, unit := 0, -1, false
	finish := func() {
		if end > begin && unit && err == nil {
			d, wrong := time.ParseDuration(text[begin:end])
			if wrong != nil {
				err = &Error{text, begin, text[begin:end] + " is no duration, as 10ms or 1m30s are"}
				return
			}
			found[begin] = d
			copy(out[begin:end], strings.Repeat("_", end-begin))
		}
		end = -1
	}
	for {
		pos, tok, lit := s.Scan()
		at := file.Offset(pos)
		number := tok == token.INT || tok == token.FLOAT
		if at == end && (number || tok == token.IDENT) {
			unit = unit || tok == token.IDENT
			end = at + len(lit)
			continue
		}
		finish()
		if tok == token.EOF {
			return string(out), found, err
		}
		if number {
			begin, end, unit = at, at+len(lit), false
		}
	}
}
