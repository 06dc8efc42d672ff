package recording

import (
	"fmt"
	"strconv"
	"strings"
)

// A GoroutineID names a goroutine. Process is the Label of a Process, or "" for any.
type GoroutineID struct {
	Process string
	ID      uint64
}

func (g GoroutineID) String() string {
	id := strconv.FormatUint(g.ID, 10)
	if g.Process == "" {
		return id
	}
	return g.Process + "/" + id
}

// ParseGoroutines reads a list of goroutines, "1,17", with processes "4711/1,4712/1".
func ParseGoroutines(text string) ([]GoroutineID, error) {
	var ids []GoroutineID
	for _, s := range strings.Split(text, ",") {
		s = strings.TrimSpace(s)
		process, number, ok := strings.Cut(s, "/")
		if !ok {
			process, number = "", s
		}
		id, err := strconv.ParseUint(number, 10, 64)
		if err != nil || id == 0 || ok && process == "" {
			return nil, fmt.Errorf("goroutine %q: want a goroutine's number, or several as in 1,17, or of processes as in 4711/1,4712/1", s)
		}
		ids = append(ids, GoroutineID{process, id})
	}
	return ids, nil
}
