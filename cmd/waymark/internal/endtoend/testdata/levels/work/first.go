package work

// First has functions of which the first call is looked for, of all forms that hooks have.
var First = []func(int) int{
	first0,
	first1,
	first2,
	first3,
	first4,
	first5,
	first6,
	first7,
	first8,
	first9,
	first10,
	first11,
	first12,
	first13,
	first14,
	first15,
	first16,
	first17,
	first18,
	first19,
	first20,
	first21,
	first22,
	first23,
}

//go:noinline
func first0(i int) int { return i + 0 }

//go:noinline
func first1(i int) (sum int) {
	defer func() { sum += i }()
	return 1
}

//go:noinline
func first2(i int) int { return len(text(nil, i)) + 2 }

//go:noinline
func first3(i int) int { return i + 3 }

//go:noinline
func first4(i int) (sum int) {
	defer func() { sum += i }()
	return 4
}

//go:noinline
func first5(i int) int { return len(text(nil, i)) + 5 }

//go:noinline
func first6(i int) int { return i + 6 }

//go:noinline
func first7(i int) (sum int) {
	defer func() { sum += i }()
	return 7
}

//go:noinline
func first8(i int) int { return len(text(nil, i)) + 8 }

//go:noinline
func first9(i int) int { return i + 9 }

//go:noinline
func first10(i int) (sum int) {
	defer func() { sum += i }()
	return 10
}

//go:noinline
func first11(i int) int { return len(text(nil, i)) + 11 }

//go:noinline
func first12(i int) int { return i + 12 }

//go:noinline
func first13(i int) (sum int) {
	defer func() { sum += i }()
	return 13
}

//go:noinline
func first14(i int) int { return len(text(nil, i)) + 14 }

//go:noinline
func first15(i int) int { return i + 15 }

//go:noinline
func first16(i int) (sum int) {
	defer func() { sum += i }()
	return 16
}

//go:noinline
func first17(i int) int { return len(text(nil, i)) + 17 }

//go:noinline
func first18(i int) int { return i + 18 }

//go:noinline
func first19(i int) (sum int) {
	defer func() { sum += i }()
	return 19
}

//go:noinline
func first20(i int) int { return len(text(nil, i)) + 20 }

//go:noinline
func first21(i int) int { return i + 21 }

//go:noinline
func first22(i int) (sum int) {
	defer func() { sum += i }()
	return 22
}

//go:noinline
func first23(i int) int { return len(text(nil, i)) + 23 }

//go:noinline
func text(list []string, i int) string { return "text"[:len(list)+i%2] }
