package usdt

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// golden is a note as gcc and sys/sdt.h make it, byte by byte.
var golden = []byte("\x08\x00\x00\x00\x33\x00\x00\x00\x03\x00\x00\x00stapsdt\x00" +
	"\x00\x10\x40\x00\x00\x00\x00\x00" + "\x28\x22\x40\x00\x00\x00\x00\x00" + "\x10\x40\x40\x00\x00\x00\x00\x00" +
	"shop\x00finish\x00-4@%eax 8@%rbx\x00\x00")

var goldenNote = Note{
	Provider: "shop", Name: "finish", Location: 0x401000, Base: 0x402228, Semaphore: 0x404010,
	Args: []Arg{Register(4, true, "rax"), Register(8, false, "rbx")},
}

func TestGolden(t *testing.T) {
	got, err := Append(nil, AMD64, goldenNote)
	if err != nil || !bytes.Equal(got, golden) {
		t.Errorf("got  %q, %v\nwant %q", got, err, golden)
	}
	if goldenNote.Size(AMD64) != len(golden) {
		t.Errorf("Size returns %d, want %d", goldenNote.Size(AMD64), len(golden))
	}
	notes, err := Decode(golden, AMD64)
	if want := []Note{goldenNote}; err != nil || !reflect.DeepEqual(notes, want) {
		t.Errorf("Decode returns %+v, %v; want %+v", notes, err, want)
	}
}

func TestArgs(t *testing.T) {
	for _, c := range []struct {
		arch Arch
		text string
		arg  Arg
	}{
		{AMD64, "-8@%rax", Register(8, true, "rax")},
		{AMD64, "8@%rbx", Register(8, false, "rbx")},
		{AMD64, "-4@%edx", Register(4, true, "rdx")},
		{AMD64, "2@%si", Register(2, false, "rsi")},
		{AMD64, "-1@%dil", Register(1, true, "rdi")},
		{AMD64, "1@%r9b", Register(1, false, "r9")},
		{AMD64, "4@%r15d", Register(4, false, "r15")},
		{AMD64, "-2@%r10w", Register(2, true, "r10")},
		{AMD64, "-4@-20(%rbp)", Memory(4, true, "rbp", -20)},
		{AMD64, "8@0(%rax)", Memory(8, false, "rax", 0)},
		{AMD64, "-4@$-7", Constant(4, true, -7)},
		{AMD64, "8f@%xmm3", Arg{Size: 8, Float: true, Kind: InRegister, Reg: "xmm3"}},
		{ARM64, "-8@x0", Register(8, true, "x0")},
		{ARM64, "1@x30", Register(1, false, "x30")},
		{ARM64, "8@[sp, 16]", Memory(8, false, "sp", 16)},
		{ARM64, "-4@[x29, -8]", Memory(4, true, "x29", -8)},
		{ARM64, "8@[x3]", Memory(8, false, "x3", 0)},
		{ARM64, "-4@5", Constant(4, true, 5)},
		{ARM64, "4f@s1", Arg{Size: 4, Float: true, Kind: InRegister, Reg: "s1"}},
	} {
		if got := c.arg.Format(c.arch); got != c.text {
			t.Errorf("%s: %+v is formatted as %q, want %q", c.arch, c.arg, got, c.text)
		}
		if got := ParseArgs(c.text, c.arch); len(got) != 1 || got[0] != c.arg {
			t.Errorf("%s: %q is parsed as %+v, want %+v", c.arch, c.text, got, c.arg)
		}
		if err := c.arg.check(c.arch); err != nil {
			t.Errorf("%s: %q: %v", c.arch, c.text, err)
		}
	}
	// What others write, and this package doesn't.
	for text, want := range map[string]Arg{
		"-4@%rax":       Register(4, true, "rax"),
		"8@(%rdi)":      Memory(8, false, "rdi", 0),
		"8@x(%rip)":     {Text: "8@x(%rip)"},
		"3@%rax":        {Text: "3@%rax"},
		"8@%rzz":        {Text: "8@%rzz"},
		"8@%r7":         {Text: "8@%r7"},
		"rubbish":       {Text: "rubbish"},
		"8@(%rax,%rbx)": {Text: "8@(%rax,%rbx)"},
	} {
		if got := ParseArgs(text, AMD64); len(got) != 1 || got[0] != want {
			t.Errorf("%q is parsed as %+v, want %+v", text, got, want)
		}
	}
	if got := ParseArgs("-4@w1  8@[sp, 8] 1@x2", ARM64); len(got) != 3 || got[0] != Register(4, true, "x1") || got[1] != Memory(8, false, "sp", 8) {
		t.Errorf("three arguments are parsed as %+v", got)
	}
}

func TestRefused(t *testing.T) {
	with := func(args ...Arg) Note { return Note{Provider: "p", Name: "n", Args: args} }
	for _, c := range []struct {
		note Note
		want any
		text string
	}{
		{Note{Name: "n"}, new(*NameError), `provider "": it is empty`},
		{Note{Provider: "p"}, new(*NameError), `probe "": it is empty`},
		{Note{Provider: "a-b", Name: "n"}, new(*NameError), `provider "a-b": it has '-'; letters A to Z, a to z, digits and _ can be had`},
		{Note{Provider: "p", Name: "1st"}, new(*NameError), `probe "1st": it begins with a digit`},
		{Note{Provider: "p", Name: "größe"}, new(*NameError), `probe "größe": it has 'ö'; letters A to Z, a to z, digits and _ can be had`},
		{Note{Provider: strings.Repeat("p", 60), Name: "n"}, new(*NameError), `it has 60 bytes, at most 59 can be had`},
		{Note{Provider: "p", Name: strings.Repeat("n", 64)}, new(*NameError), `it has 64 bytes, at most 63 can be had`},
		{with(make([]Arg, 13)...), new(*CountError), "13 arguments, tracers can read 12: join or leave out some"},
		{with(Register(3, true, "rax")), new(*ArgError), "3 bytes, want 1, 2, 4 or 8"},
		{with(Register(8, true, "x0")), new(*ArgError), `no register of amd64 is called "x0"`},
		{with(Register(8, true, "eax")), new(*ArgError), `no register of amd64 is called "eax"`},
		{with(Arg{}), new(*ArgError), "not one descriptor"},
		{with(Arg{Text: "8@x 8@y"}), new(*ArgError), "not one descriptor"},
	} {
		section, err := Append(nil, AMD64, c.note)
		if section != nil || err == nil || !errors.As(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%+v: got %q, %v; want a %T with %q", c.note, section, err, c.want, c.text)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"finish":                      "finish",
		"(*Cart).Add":                 "__Cart__Add",
		"":                            "_",
		"9lives":                      "_9lives",
		"größe":                       "gr__e",
		strings.Repeat("x", 70):       strings.Repeat("x", 63),
		"a" + strings.Repeat("1", 63): "_" + strings.Repeat("1", 62),
	} {
		got := Name(text)
		if got != want {
			t.Errorf("Name(%q) returns %q, want %q", text, got, want)
		}
		if err := CheckName(got); err != nil {
			t.Errorf("Name(%q): %v", text, err)
		}
		if err := CheckProvider(ProviderName(text)); err != nil {
			t.Errorf("ProviderName(%q): %v", text, err)
		}
	}
}

// TestRandom encodes random notes and decodes them.
func TestRandom(t *testing.T) {
	random := seed.Rand(t, 1)
	registers := map[Arch][]string{AMD64: {"rax", "rbx", "rsi", "rsp", "r8", "r15"}, ARM64: {"x0", "x7", "x30", "sp"}}
	for _, arch := range []Arch{AMD64, ARM64} {
		var notes []Note
		for i := 0; i < 200; i++ {
			n := Note{Provider: ProviderName(text(random.Intn)), Name: Name(text(random.Intn)),
				Location: random.Uint64(), Base: random.Uint64(), Semaphore: random.Uint64()}
			for j := random.Intn(MaxArgs + 1); j > 0; j-- {
				size, signed := 1<<random.Intn(4), random.Intn(2) == 0
				reg := registers[arch][random.Intn(len(registers[arch]))]
				switch random.Intn(3) {
				case 0:
					n.Args = append(n.Args, Register(size, signed, reg))
				case 1:
					n.Args = append(n.Args, Memory(size, signed, reg, int64(random.Intn(1<<16)-1<<15)))
				default:
					n.Args = append(n.Args, Constant(size, signed, []int64{math.MinInt64, math.MaxInt64, -1, 0}[random.Intn(4)]))
				}
			}
			notes = append(notes, n)
		}
		section, err := Append(nil, arch, notes...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(section, arch)
		if err != nil || !reflect.DeepEqual(got, notes) {
			t.Errorf("%s: %d notes come back as %d, %v", arch, len(notes), len(got), err)
		}
	}
}

func text(intn func(int) int) string {
	b := make([]byte, intn(80))
	for i := range b {
		b[i] = byte(' ' + intn(95))
	}
	return string(b)
}

// TestDamage cuts a section at each length and changes each byte: nothing panics, and what comes
// before the damage is there.
func TestDamage(t *testing.T) {
	section := append(append([]byte(nil), golden...), golden...)
	for n := range section {
		notes, err := Decode(section[:n], AMD64)
		if want := n / len(golden); len(notes) != want || (err == nil) != (n%len(golden) == 0) {
			// A note without what fills it up is whole.
			if n != 2*len(golden)-1 && n != len(golden)-1 {
				t.Errorf("of %d bytes: %d notes, %v; want %d", n, len(notes), err, want)
			}
		}
		var format *FormatError
		if err != nil && !errors.As(err, &format) {
			t.Errorf("of %d bytes: %T %v, want a FormatError", n, err, err)
		}
		for _, b := range []byte{0, 1, 0x7f, 0xff} {
			changed := append([]byte(nil), section...)
			changed[n] = b
			Decode(changed, AMD64)
		}
	}
	other := append([]byte("\x04\x00\x00\x00\x05\x00\x00\x00\x01\x00\x00\x00GNU\x0012345678"), golden...)
	if notes, err := Decode(other, AMD64); len(notes) != 1 || err != nil {
		t.Errorf("after another note: %v, %v; want the one of stapsdt", notes, err)
	}
}

func TestDetails(t *testing.T) {
	want := &Details{[]Provider{{Name: "shop", Module: "app", Attributes: Attributes{Provider: "stable/evolving/common"},
		Probes: []Probe{{Name: "finish", Function: "main", Args: []string{"int"}}, {Name: "start"}}}}}
	section, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeDetails(append(section, 0, 0))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v comes back as %+v, %v", want, got, err)
	}
	if _, err := DecodeDetails(section[1:]); err == nil || !strings.Contains(err.Error(), DetailsSection) {
		t.Errorf("damaged details: %v, want an error with %s", err, DetailsSection)
	}
}

func TestSite(t *testing.T) {
	if got := AMD64.Site(); len(got) != 11 || got[0] != 0x90 {
		t.Errorf("amd64: % x, want a nop of 1 and one of 10 bytes", got)
	}
	if got := ARM64.Site(); len(got) != 4 {
		t.Errorf("arm64: % x, want one nop", got)
	}
	for _, name := range []string{"amd64", "arm64"} {
		if arch, ok := ArchOf(name); !ok || arch.String() != name {
			t.Errorf("ArchOf(%q) returns %v, %v", name, arch, ok)
		}
	}
	if _, ok := ArchOf("386"); ok {
		t.Error("386 has probes")
	}
}

// FuzzDecode looks for sections that make Decode panic, or whose notes can't be encoded again.
func FuzzDecode(f *testing.F) {
	f.Add(golden)
	f.Fuzz(func(t *testing.T, section []byte) {
		notes, _ := Decode(section, AMD64)
		for _, n := range notes {
			if again, err := Append(nil, AMD64, n); err == nil {
				if back, err := Decode(again, AMD64); err != nil || !reflect.DeepEqual(back, []Note{n}) {
					t.Errorf("%+v comes back as %+v, %v", n, back, err)
				}
			}
		}
	})
}
