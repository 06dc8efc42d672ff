//go:build !waymark

package condition

// Part of run.go. See ops.go.

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func compareIntegers[T int64 | uint64](a, b T, rel uint8) uint64 {
	switch {
	case a < b:
		return uint64(rel & relLess)
	case a > b:
		return uint64(rel & relGreater >> 2)
	}
	return uint64(rel & relEqual >> 1)
}

func compareFloats(a, b float64, rel uint8) uint64 {
	switch {
	case a < b:
		return uint64(rel & relLess)
	case a > b:
		return uint64(rel & relGreater >> 2)
	case a == b:
		return uint64(rel & relEqual >> 1)
	}
	return uint64(rel & relUnordered >> 3)
}
