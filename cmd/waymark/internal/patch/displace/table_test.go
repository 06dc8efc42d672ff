package displace

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// switches is a program whose switches the compiler makes tables of. Lines with a mark are those to
// which they lead.
const switches = `package main

//go:noinline
func touch(n int) int { return n }

//go:noinline
func numbers(n int) int {
	switch n {
	case 3:
		return touch(17) // case
	case 4, 5, 6:
		return touch(28) // case
	case 7:
		return touch(33) // case
	case 8:
		return touch(41) // case
	case 10:
		return touch(52) // case
	case 11:
		return touch(67) // case
	case 12:
		return touch(72) // case
	case 13:
		return touch(75) // case
	}
	return touch(80) // case: nine is not there
}

//go:noinline
func types(v any) int {
	switch v.(type) {
	case int8, int16, int32, int64:
		return touch(1)
	case uint8, uint16, uint32, uint64:
		return touch(2)
	case float32:
		return touch(3)
	case float64:
		return touch(4)
	case string:
		return touch(5)
	}
	return touch(6)
}

func main() { println(numbers(3), types("")) }
`

func TestTables(t *testing.T) {
	external := "-ldflags=-linkmode=external -extldflags=-Wl,-z,"
	for _, flags := range [][]string{nil, {"-buildmode=pie"}, {"-buildmode=pie", external + "nopack-relative-relocs"}, {"-buildmode=pie", external + "pack-relative-relocs"}} {
		t.Run(strings.Join(flags, ""), func(t *testing.T) {
			if _, err := exec.LookPath("gcc"); err != nil && len(flags) > 1 {
				t.Skip("there is no linker but Go's own")
			}
			dir := t.TempDir()
			source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
			if err := os.WriteFile(source, []byte(switches), 0o666); err != nil {
				t.Fatal(err)
			}
			build := exec.Command("go", append(append([]string{"build", "-o", program}, flags...), source)...)
			build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=1")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			im, err := image.Open(program)
			if err != nil {
				t.Fatal(err)
			}
			defer im.Close()
			checkTables(t, im)
		})
	}
}

func checkTables(t *testing.T, im *image.Image) {
	var want, got []int
	for i, line := range strings.Split(switches, "\n") {
		if strings.Contains(line, "// case") {
			want = append(want, i+1)
		}
	}
	f := im.Named("main.numbers")
	b, jumps := bodyOf(t, f)
	for _, to := range b.tables[jumps[0]] {
		got = append(got, im.Frames(to)[0].Line)
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("the table of %s leads to lines %d, want %d", f.Name, got, want)
	}
	if b, jumps := bodyOf(t, im.Named("main.types")); len(b.tables[jumps[0]]) < 5 {
		t.Errorf("the table of types leads to %d places, want 5 at least", len(b.tables[jumps[0]]))
	}
	for _, place := range []uint64{b.tables[jumps[0]][1], b.tables[jumps[0]][2]} {
		if p, err := Line(f, place); err != nil || p.Entry.At() < place {
			t.Errorf("a case can't be watched: %v", err)
		}
	}
	checkBetween(t, f)
	// A table that isn't as the code says is none.
	for what, change := range map[string]func(x *Instruction) bool{
		"more cases": func(x *Instruction) bool {
			if x.Op == x86asm.CMP && x.Args[1] == x86asm.Imm(10) {
				x.Args[1] = x86asm.Imm(200)
			}
			return x.Args[1] == x86asm.Imm(200)
		},
		"another address": func(x *Instruction) bool {
			m, ok := x.Args[1].(x86asm.Mem)
			if ok = ok && x.Op == x86asm.LEA && m.Base == x86asm.RIP; ok {
				m.Disp = 0 // the code itself
				x.Args[1] = m
			}
			return ok
		},
		"no address": func(x *Instruction) bool {
			is := x.Op == x86asm.LEA
			if is {
				x.Op = x86asm.MOV
			}
			return is
		},
	} {
		b, jumps := bodyOf(t, f)
		changed := false
		for i := range jumps[0] {
			changed = change(&b.list[i]) || changed
		}
		if !changed || b.findTables(jumps) {
			t.Errorf("with %s (%t) the jump isn't unknown", what, changed)
		}
	}
}

// checkBetween checks that a table is unknown if another one leads to code between the compare that
// says how many cases it has and its jump.
func checkBetween(t *testing.T, f *image.Func) {
	b, jumps := bodyOf(t, f)
	first := jumps[0]
	lead := b.tables[first]
	for _, to := range lead {
		b.jumps[to]-- // as it is before tables are read
	}
	at, _ := b.tableOf(first)
	i, _ := b.index(lead[1])
	m := b.list[first].Args[0].(x86asm.Mem)
	lea := &b.list[i]
	away := at - lea.At - uint64(lea.Len)
	for k, x := range []x86asm.Inst{
		{Op: x86asm.CMP, Args: x86asm.Args{m.Index, x86asm.Imm(2)}},
		{Op: x86asm.JA, Args: x86asm.Args{x86asm.Rel(0)}},
		{Op: x86asm.LEA, Args: x86asm.Args{m.Base, x86asm.Mem{Base: x86asm.RIP, Disp: int64(away)}}},
		{Op: x86asm.JMP, Args: x86asm.Args{m}},
	} {
		to := &b.list[i-2+k]
		x.Len = to.Len
		to.Inst = x
	}
	second := i + 1
	if n, _ := b.cases(second); n != 3 {
		t.Fatalf("the second table has %d cases before the first one is read, want 3", n)
	}
	if b.findTables([]int{first, second}) {
		t.Error("a table leads behind another one's compare, whose jump isn't unknown")
	}
}

// bodyOf returns a function, whose jumps by tables must be known, and their indexes.
func bodyOf(t *testing.T, f *image.Func) (b *body, jumps []int) {
	t.Helper()
	b, err := decode(f)
	if err != nil || b.indirect {
		t.Fatalf("%s: %v; has jumps to unknown addresses: %t", f.Name, err, b != nil && b.indirect)
	}
	for i := range b.list {
		if _, ok := b.tableOf(i); ok && b.list[i].Op == x86asm.JMP {
			jumps = append(jumps, i)
		}
	}
	if len(jumps) == 0 || len(b.tables) != len(jumps) {
		t.Fatalf("%s has %d jumps by tables, and %d tables", f.Name, len(jumps), len(b.tables))
	}
	return b, jumps
}
