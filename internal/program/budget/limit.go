package budget

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// A Limit is what tracing may add to a program's CPU time. The zero Limit is none.
type Limit struct {
	Text  string  // as the user wrote it; empty: there is no limit
	Share float64 // of the program's own CPU time; 0: calls are counted only
}

// None is the text of no limit.
const None = "none"

var errLimit = errors.New("a share of the program's CPU time, as in 10%; or 0, which only counts calls; or " + None)

// Parse reads a limit: 10%, 10 or none. Its error says what is wanted.
func Parse(text string) (Limit, error) {
	if text == None {
		return Limit{}, nil
	}
	number := strings.TrimSuffix(text, "%")
	percent, err := strconv.ParseFloat(number, 64)
	if err != nil || percent < 0 || math.IsNaN(percent) || math.IsInf(percent, 0) {
		return Limit{}, errLimit
	}
	return Limit{number + "%", percent / 100}, nil
}

// Given reports whether there is a limit.
func (l Limit) Given() bool { return l.Text != "" }

// CountsOnly reports whether calls are only counted.
func (l Limit) CountsOnly() bool { return l.Given() && l.Share == 0 }
