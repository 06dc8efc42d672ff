package usdt

import (
	"fmt"
	"strconv"
	"strings"
)

// An Arch is a kind of processor. The zero Arch is none.
type Arch uint8

const (
	AMD64 Arch = 1 + iota
	ARM64
)

// ArchOf returns the processor that the go command calls so, and whether probes can be had on it.
func ArchOf(goarch string) (Arch, bool) {
	switch goarch {
	case "amd64":
		return AMD64, true
	case "arm64":
		return ARM64, true
	}
	return 0, false
}

// String returns the go command's name.
func (arch Arch) String() string {
	switch arch {
	case AMD64:
		return "amd64"
	case ARM64:
		return "arm64"
	}
	return fmt.Sprintf("processor %d", uint8(arch))
}

// Site returns the instructions of a probe's place, which do nothing. The note's location is that of
// the first one. On amd64 a tracer that knows of faster ways takes the second one instead. Kernels
// replace a nop of 10 bytes by a call, so that no trap is needed.
func (arch Arch) Site() []byte {
	switch arch {
	case AMD64:
		return []byte{0x90, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}
	case ARM64:
		return []byte{0x1f, 0x20, 0x03, 0xd5}
	}
	return nil
}

// Return returns the instruction that returns to the caller.
func (arch Arch) Return() []byte {
	switch arch {
	case AMD64:
		return []byte{0xc3}
	case ARM64:
		return []byte{0xc0, 0x03, 0x5f, 0xd6}
	}
	return nil
}

// legacy are the names of the registers of the 8086, by size: 8, 4, 2 and 1 bytes.
var legacy = [][4]string{
	{"rax", "eax", "ax", "al"}, {"rbx", "ebx", "bx", "bl"}, {"rcx", "ecx", "cx", "cl"}, {"rdx", "edx", "dx", "dl"},
	{"rsi", "esi", "si", "sil"}, {"rdi", "edi", "di", "dil"}, {"rbp", "ebp", "bp", "bpl"}, {"rsp", "esp", "sp", "spl"},
}

// suffixes are those of the names r8 to r15, by size.
var suffixes = [4]string{"", "d", "w", "b"}

// bySize returns the index of a size in these tables.
func bySize(size int) int {
	switch size {
	case 4:
		return 1
	case 2:
		return 2
	case 1:
		return 3
	}
	return 0
}

// whole returns the 64-bit register that a name of amd64 is about.
func whole(name string) (string, bool) {
	for _, names := range legacy {
		for _, n := range names {
			if n == name {
				return names[0], true
			}
		}
	}
	if numbered(name, "xmm", 15) {
		return name, true
	}
	for _, suffix := range suffixes {
		if base := strings.TrimSuffix(name, suffix); numbered(base, "r", 15) && base != "r0" && len(base) >= 2 {
			if n, _ := strconv.Atoi(base[1:]); n >= 8 {
				return base, true
			}
		}
	}
	return "", false
}

// numbered reports whether name is prefix and a number from 0 to last.
func numbered(name, prefix string, last int) bool {
	digits := strings.TrimPrefix(name, prefix)
	n, err := strconv.ParseUint(digits, 10, 8)
	return digits != name && err == nil && int(n) <= last && strconv.Itoa(int(n)) == digits
}

// named returns what the lower size bytes of a register are called.
func named(reg string, size int) string {
	for _, names := range legacy {
		if names[0] == reg {
			return names[bySize(size)]
		}
	}
	if strings.HasPrefix(reg, "xmm") {
		return reg
	}
	return reg + suffixes[bySize(size)]
}

// has reports whether the argument's register is one that can have it.
func (arch Arch) has(a Arg) bool {
	switch arch {
	case AMD64:
		reg, ok := whole(a.Reg)
		vector := strings.HasPrefix(reg, "xmm")
		return ok && reg == a.Reg && vector == (a.Float && a.Kind == InRegister)
	case ARM64:
		if a.Float && a.Kind == InRegister {
			return numbered(a.Reg, "d", 31) || numbered(a.Reg, "s", 31)
		}
		return numbered(a.Reg, "x", 30) || a.Reg == "sp"
	}
	return false
}

// place returns where the argument is.
func (arch Arch) place(a Arg) string {
	value := strconv.FormatInt(a.Value, 10)
	if arch == ARM64 {
		switch a.Kind {
		case InRegister:
			return a.Reg
		case InMemory:
			if a.Value == 0 {
				return "[" + a.Reg + "]"
			}
			return "[" + a.Reg + ", " + value + "]"
		}
		return value
	}
	switch a.Kind {
	case InRegister:
		return "%" + named(a.Reg, a.Size)
	case InMemory:
		return value + "(%" + a.Reg + ")"
	}
	return "$" + value
}

// parse sets a to be at the place, and reports whether it is one.
func (arch Arch) parse(a *Arg, place string) bool {
	switch arch {
	case AMD64:
		return parseAMD64(a, place)
	case ARM64:
		return parseARM64(a, place)
	}
	return false
}

func parseAMD64(a *Arg, place string) bool {
	var ok bool
	switch {
	case strings.HasPrefix(place, "$"):
		a.Kind = IsConstant
		return number(a, place[1:])
	case strings.HasPrefix(place, "%"):
		a.Kind = InRegister
		a.Reg, ok = whole(place[1:])
		return ok
	case strings.HasSuffix(place, ")"):
		a.Kind = InMemory
		offset, reg, found := strings.Cut(strings.TrimSuffix(place, ")"), "(%")
		if !found || offset != "" && !number(a, offset) {
			return false
		}
		a.Reg, ok = whole(reg)
		return ok && a.Reg == reg
	}
	return false
}

func parseARM64(a *Arg, place string) bool {
	if strings.HasPrefix(place, "[") && strings.HasSuffix(place, "]") {
		a.Kind = InMemory
		reg, offset, found := strings.Cut(place[1:len(place)-1], ",")
		a.Reg = strings.TrimSpace(reg)
		return ARM64.has(*a) && (!found || number(a, strings.TrimSpace(offset)))
	}
	if number(a, place) {
		a.Kind = IsConstant
		return true
	}
	a.Kind, a.Reg = InRegister, place
	if numbered(place, "w", 30) {
		a.Reg = "x" + place[1:]
	}
	return ARM64.has(*a)
}

func number(a *Arg, text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false
	}
	a.Value = n
	return true
}
