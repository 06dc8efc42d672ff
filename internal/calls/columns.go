package calls

// A Column is a number that not all recordings have. Views show it behind those that all have.
type Column struct {
	Key, Head string // in JSON and CSV, and in tables for people
	Unit      string // "bytes" or ""
	Of        func(n *Numbers) uint64
	Made      bool // it is of objects: all or none of these columns are shown
}

// Columns are in the order in which they are shown.
var Columns = []Column{
	{Key: "objects", Head: "Objects", Of: func(n *Numbers) uint64 { return n.Objects }, Made: true},
	{Key: "bytes", Head: "Bytes", Unit: "bytes", Of: func(n *Numbers) uint64 { return n.Bytes }, Made: true},
}

// Columns returns those that there are: of objects with made, of others those of which a node has
// something.
func (t *Tree) Columns(made bool) (list []Column) {
	for _, c := range Columns {
		of := c.Of
		if c.Made && made || !c.Made && t.Any(func(n *Numbers) bool { return of(n) > 0 }) {
			list = append(list, c)
		}
	}
	return list
}

// Makes reports whether a node has objects.
func (t *Tree) Makes() bool { return t.Any(func(n *Numbers) bool { return n.Objects > 0 }) }
