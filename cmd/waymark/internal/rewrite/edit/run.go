package edit

// A Run is a part of a text that edits keep. It has Size bytes, not none, which are at Old
// in the text and at New in the edited one. The runs of a text, in its order, say all
// about the edits. What lies between two runs in the edited text has replaced what lies
// between them in the text.
type Run struct{ Old, New, Size int }

// Runs returns what the edits keep. It is of use where Bytes returns no error.
func (b *Buffer) Runs() []Run {
	var runs []Run
	old, new := 0, 0
	keep := func(end int) {
		if end > old {
			runs = appendRun(runs, Run{old, new, end - old})
			new += end - old
			old = end
		}
	}
	for _, e := range b.sorted() {
		keep(e.start)
		old = e.end
		new += len(e.new)
	}
	keep(len(b.text))
	return runs
}

// appendRun appends r, or lengthens the last run where r continues it.
func appendRun(runs []Run, r Run) []Run {
	if n := len(runs); n > 0 && runs[n-1].Old+runs[n-1].Size == r.Old && runs[n-1].New+runs[n-1].Size == r.New {
		runs[n-1].Size += r.Size
		return runs
	}
	return append(runs, r)
}

// Compose returns the runs of a text that was edited twice. first has what the first
// edits kept, and then has what the second ones kept of their result.
func Compose(first, then []Run) []Run {
	var runs []Run
	i := 0
	for _, r := range then {
		for i < len(first) && first[i].New+first[i].Size <= r.Old {
			i++
		}
		for j := i; j < len(first) && first[j].New < r.Old+r.Size; j++ {
			f := first[j]
			start, end := max(f.New, r.Old), min(f.New+f.Size, r.Old+r.Size)
			runs = appendRun(runs, Run{f.Old + start - f.New, r.New + start - r.Old, end - start})
		}
	}
	return runs
}
