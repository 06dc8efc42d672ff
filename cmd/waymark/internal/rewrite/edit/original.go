package edit

// Original returns the offset in a text of the byte at an offset of the edited one. It returns
// false for a byte that the edits have put in.
func Original(runs []Run, offset int) (int, bool) {
	for _, r := range runs {
		if r.New <= offset && offset < r.New+r.Size {
			return offset - r.New + r.Old, true
		}
	}
	return 0, false
}
