package usdt

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxArgs is the number of arguments that a probe has at most: tracers know arg0 to arg11.
const MaxArgs = 12

// A Kind says where an argument is.
type Kind uint8

const (
	Unknown    Kind = iota // Text says where
	InRegister             // in Reg
	InMemory               // at the address in Reg, plus Value
	IsConstant             // it is Value
)

// An Arg says how large an argument is and where it is.
type Arg struct {
	Size   int  // in bytes: 1, 2, 4 or 8
	Signed bool // an integer with a sign
	Float  bool // in a floating-point register
	Kind   Kind
	Reg    string // as the 64-bit register is called, without %
	Value  int64
	Text   string // of an Unknown argument: the whole descriptor
}

// Register returns an argument in a register, which has the name of the whole: rax, x0.
func Register(size int, signed bool, reg string) Arg {
	return Arg{Size: size, Signed: signed, Kind: InRegister, Reg: reg}
}

// Memory returns an argument at an offset from the address in a register.
func Memory(size int, signed bool, reg string, offset int64) Arg {
	return Arg{Size: size, Signed: signed, Kind: InMemory, Reg: reg, Value: offset}
}

// Constant returns an argument that has always this value.
func Constant(size int, signed bool, value int64) Arg {
	return Arg{Size: size, Signed: signed, Kind: IsConstant, Value: value}
}

// Format returns the argument's descriptor: -8@%rax.
func (a Arg) Format(arch Arch) string {
	if a.Kind == Unknown {
		return a.Text
	}
	size := strconv.Itoa(a.Size)
	if a.Signed {
		size = "-" + size
	}
	if a.Float {
		size += "f"
	}
	return size + "@" + arch.place(a)
}

// FormatArgs returns the descriptors of arguments as a note has them.
func FormatArgs(args []Arg, arch Arch) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.Format(arch)
	}
	return strings.Join(texts, " ")
}

// ParseArgs returns the arguments that a note describes. What can't be understood is Unknown.
func ParseArgs(s string, arch Arch) []Arg {
	var args []Arg
	for _, text := range fields(s) {
		a, ok := parseArg(text, arch)
		if !ok {
			a = Arg{Text: text}
		}
		args = append(args, a)
	}
	return args
}

// fields divides descriptors at spaces outside brackets: [sp, 16] is one.
func fields(s string) []string {
	var list []string
	depth, from := 0, -1
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == ' ' && depth == 0 {
			if from >= 0 {
				list = append(list, s[from:i])
			}
			from = -1
			continue
		}
		switch s[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		}
		if from < 0 {
			from = i
		}
	}
	return list
}

func parseArg(text string, arch Arch) (Arg, bool) {
	size, place, ok := strings.Cut(text, "@")
	if !ok {
		return Arg{}, false
	}
	var a Arg
	if rest := strings.TrimSuffix(size, "f"); rest != size {
		size, a.Float = rest, true
	}
	if rest := strings.TrimPrefix(size, "-"); rest != size {
		size, a.Signed = rest, true
	}
	n, err := strconv.ParseUint(size, 10, 8)
	if err != nil || !sized(int(n)) {
		return Arg{}, false
	}
	a.Size = int(n)
	return a, arch.parse(&a, place)
}

func sized(n int) bool { return n == 1 || n == 2 || n == 4 || n == 8 }

// check returns an ArgError if the argument can't be described.
func (a Arg) check(arch Arch) error {
	reason := ""
	switch {
	case a.Kind == Unknown:
		if back := ParseArgs(a.Text, arch); len(back) == 1 && back[0].Text == a.Text && !strings.Contains(a.Text, "\x00") {
			return nil
		}
		reason = "not one descriptor"
	case a.Kind > IsConstant:
		reason = "no kind of place"
	case !sized(a.Size):
		reason = fmt.Sprintf("%d bytes, want 1, 2, 4 or 8", a.Size)
	case a.Kind != IsConstant && !arch.has(a):
		reason = fmt.Sprintf("no register of %s is called %q", arch, a.Reg)
	}
	if reason == "" {
		return nil
	}
	return &ArgError{a.Format(arch), reason}
}

// An ArgError says that an argument can't be described.
type ArgError struct{ Arg, Reason string }

func (e *ArgError) Error() string { return fmt.Sprintf("argument %q: %s", e.Arg, e.Reason) }

// CheckCount returns a CountError if a probe can't have so many arguments.
func CheckCount(n int) error {
	if n > MaxArgs {
		return &CountError{n}
	}
	return nil
}

// A CountError says that a probe has too many arguments.
type CountError struct{ Args int }

func (e *CountError) Error() string {
	return fmt.Sprintf("%d arguments, tracers can read %d: join or leave out some", e.Args, MaxArgs)
}
