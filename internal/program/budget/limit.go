package budget

// A Limit is what tracing may add to a program's CPU time. The zero Limit is none.
type Limit struct {
	Text  string  // as the user wrote it; empty: there is no limit
	Share float64 // of the program's own CPU time; 0: calls are counted only

	// Strict says that the limit holds, and numbers of calls are estimates where counting costs too much. Else all
	// calls are counted, whatever that costs.
	Strict bool
}

// Given reports whether there is a limit.
func (l Limit) Given() bool { return l.Text != "" }

// CountsOnly reports whether calls are only counted.
func (l Limit) CountsOnly() bool { return l.Given() && l.Share == 0 }
