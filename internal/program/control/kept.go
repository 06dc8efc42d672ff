package control

// A Query says which of the calls that are kept are wanted.
type Query struct {
	Numbers []uint64 `json:"numbers,omitempty"` // these, with their values in full; none: all
	If      []byte   `json:"if,omitempty"`      // condition, encoded; none: all calls
	After   uint64   `json:"after,omitempty"`   // only calls with higher numbers
}

// Kept is calls that are kept, by their numbers.
type Kept struct {
	Calls []KeptCall `json:"calls,omitempty"`
	After uint64     `json:"after,omitempty"` // there are more after this number; 0: these were the last
	Notes []string   `json:"notes,omitempty"` // why the condition is none on calls of some functions
}

// A KeptCall is a call with its values as they were when it began and ended.
type KeptCall struct {
	Call
	ArgValues    []Value `json:"arg_values,omitempty"` // in full, if that was asked for
	ResultValues []Value `json:"result_values,omitempty"`
}

// A Value is an argument or a result.
type Value struct {
	Name  string `json:"name,omitempty"` // empty: it has none
	Type  string `json:"type,omitempty"` // of an interface, that of what it holds; empty: nil, or hidden
	Value string `json:"value"`          // as package value prints it
}
