//go:build linux && (amd64 || arm64)

package probe

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/usdt"
)

type seen struct {
	Provider `probe:"seen,module=m" stability:"args=Stable/Stable/ISA"`
	Start    P0
	Finish   P3[int8, string, *int] `probe:"finish,function=f"`
}

// attach makes the semaphore of a probe look as if n tracers were attached.
func attach(p *Probe, n uint16) { *(*uint16)(unsafe.Pointer(p.live.words[p.index])) = n }

// images returns the lines of /proc/self/maps that are of a provider's image.
func images(t *testing.T, name string) (lines []string) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(maps), "\n") {
		if strings.HasSuffix(line, " /memfd:"+name+" (deleted)") {
			lines = append(lines, line)
		}
	}
	return lines
}

// An image is mapped while a provider is registered: no part is writable and executable, and its file
// says what the probes are.
func TestImage(t *testing.T) {
	var p seen
	register(t, &p, USDT())
	var protections []string
	for _, line := range images(t, "seen") {
		protections = append(protections, strings.Fields(line)[1])
	}
	want(t, "protections", protections, []string{"r--p", "r-xp", "rw-p"})
	file := readImage(t, "seen")
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	section := func(name string) []byte {
		b, err := f.Section(name).Data()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	notes := notesOf(t, file)
	if len(notes) != 2 || notes[1].Provider != "seen" || notes[1].Name != "finish" {
		t.Fatalf("notes are %+v; want seen:Start and seen:finish", notes)
	}
	want(t, "arguments", notes[1].Args, []usdt.Arg{
		usdt.Register(1, true, registers[0]), usdt.Register(8, false, registers[1]), usdt.Register(8, false, registers[2]),
	})
	d, err := usdt.DecodeDetails(section(usdt.DetailsSection))
	unknown := "Private/Private/Unknown"
	if want := (&usdt.Details{Providers: []usdt.Provider{{Name: "seen", Module: "m",
		Attributes: usdt.Attributes{Provider: unknown, Module: unknown, Function: unknown, Name: unknown, Args: "Stable/Stable/ISA"},
		Probes:     []usdt.Probe{{Name: "Start"}, {Name: "finish", Function: "f", Args: []string{"int8", "string", "*int"}}}}}}); err != nil || !reflect.DeepEqual(d, want) {
		t.Errorf("details are %+v, %v; want %+v", d, err, want)
	}

	want(t, "Enabled before a tracer", p.Start.Enabled(), false)
	attach(p.Probe("Start"), 2)
	want(t, "Enabled with a tracer", p.Start.Enabled(), true)
	p.Start.Fire()
	attach(p.Probe("Start"), 0)
	want(t, "Enabled afterwards", p.Start.Enabled(), false)

	p.Dispose()
	want(t, "parts after Dispose", len(images(t, "seen")), 0)
	p.Start.Fire()
}

// readImage returns the file that a provider's image is mapped from.
func readImage(t *testing.T, name string) []byte {
	t.Helper()
	links, _ := filepath.Glob("/proc/self/fd/*")
	for _, link := range links {
		if to, _ := os.Readlink(link); to == "/memfd:"+name+" (deleted)" {
			b, err := os.ReadFile(link)
			if err != nil {
				t.Fatal(err)
			}
			if f, err := os.OpenFile(link, os.O_WRONLY, 0); err == nil {
				if _, err := f.WriteAt([]byte{0xc3}, 0); err == nil {
					t.Errorf("the file of %s can be written to", name)
				}
				f.Close()
			}
			return b
		}
	}
	t.Fatalf("no descriptor is of the image of %s", name)
	return nil
}

// Firing with a tracer passes through the registers, at any depth of the stack, and allocates nothing.
func TestPlace(t *testing.T) {
	type p12 struct {
		Provider
		A P12[int, string, float64, bool, int8, uint16, string, error, *int, int32, uint64, string]
	}
	var p p12
	register(t, &p, USDT())
	attach(p.Probe("A"), 1)
	long := strings.Repeat("ö", 5000)
	fire := func() { p.A.Fire(1, "two", 3, true, 5, 6, long, nil, nil, 10, 11, "") }
	var deep func(n int)
	deep = func(n int) {
		if fire(); n > 0 {
			deep(n - 1)
		}
	}
	done := make(chan bool)
	go func() { defer close(done); deep(1000); runtime.GC(); deep(10) }()
	<-done
	if n := testing.AllocsPerRun(100, fire); n >= 1 && !raceEnabled {
		t.Errorf("%v allocations, want 0", n)
	}
	attach(p.Probe("A"), 0)
}

// The words of a firing, and the bytes that they point to.
func TestTexts(t *testing.T) {
	var p seen
	register(t, &p, USDT())
	finish := p.Probe("finish")
	for _, text := range []string{"", "x", "grüße\x00", strings.Repeat("a", MaxText), strings.Repeat("a", MaxText+1), strings.Repeat("a", MaxText-1) + "ö", "a" + strings.Repeat("€", 2000)} {
		f, v := new(firing), values{nil, unsafe.Pointer(&text)}
		f.copyTexts(finish, &v, len(cut(text))+1)
		read := unsafe.String((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&f.words[1]))), len(f.texts))
		if len(read) > MaxText+1 || read[len(read)-1] != 0 || !strings.HasPrefix(text, read[:len(read)-1]) || len(text) < MaxText && len(read) != len(text)+1 || len(text)-len(read) > 6000 {
			t.Errorf("%d bytes are told as %d", len(text), len(read))
		}
		if want := strings.ToValidUTF8(read, "?"); want != read {
			t.Errorf("%d bytes are cut within a character", len(text))
		}
	}
}

func TestNames(t *testing.T) {
	type named struct {
		Provider
		A P0
		B P0 `probe:"b-b"`
	}
	for _, p := range []*named{{}, {Provider: Named("with space")}, {Provider: Named(strings.Repeat("x", 60))}} {
		var got []string
		err := Register(p, USDT(), collect(&got))
		var sinkError *SinkError
		var name *NameError
		if !errors.As(err, &sinkError) || sinkError.Sink != "USDT" || !errors.As(err, &name) {
			t.Errorf("%s: got %v, want a SinkError of USDT with a NameError", p.Provider.name, err)
		}
		p.A.Fire()
		want(t, "firings of the other sink", got, []string{"A[]"})
		p.Dispose()
	}
}

// Without executable memory there is no USDT, and nothing else changes.
func TestNoMemory(t *testing.T) {
	create, mapping := sysCreate, sysMap
	defer func() { sysCreate, sysMap = create, mapping }()
	descriptors := func() int {
		list, _ := os.ReadDir("/proc/self/fd")
		return len(list)
	}
	before := descriptors()
	for call, refuse := range map[string]func(){
		"memfd_create": func() { sysCreate = func(string) (int, error) { return 0, syscall.EACCES } },
		"mmap": func() {
			sysMap = func(address uintptr, size, protection, flags, fd, offset int) (uintptr, error) {
				if protection&syscall.PROT_EXEC != 0 {
					return 0, syscall.EACCES
				}
				return mmap(address, size, protection, flags, fd, offset)
			}
		},
		"write": func() {
			sysCreate = func(string) (int, error) { return syscall.Open("/dev/full", syscall.O_WRONLY|syscall.O_CLOEXEC, 0) }
		},
	} {
		sysCreate, sysMap = create, mapping
		refuse()
		var got []string
		var p seen
		err := Register(&p, USDT(), collect(&got))
		var memory *MemoryError
		if !errors.As(err, &memory) || memory.Call != call || !errors.Is(err, ErrMemory) {
			t.Errorf("%s: got %v, want a MemoryError", call, err)
		}
		p.Start.Fire()
		want(t, "firings of the other sink", got, []string{"Start[]"})
		p.Dispose()
	}
	want(t, "descriptors", descriptors(), before)
	want(t, "parts", len(images(t, "seen")), 0)
}

func TestTurnOff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(file, []byte("record\nusdt=0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for text, on := range map[string]bool{
		"": true, "usdt": true, "usdt=1": true, "usdt=0": false, "record,usdt=false,o=x": false, "usdt=0,usdt=1": true,
		"nonsense=7,usdt=maybe": true, "p:x#usdt:0": false, "@" + file: false, "@" + file + "none": true, "@/dev/zero": true,
	} {
		t.Setenv("WAYMARK", text)
		var p seen
		if err := Register(&p, USDT()); err != nil {
			t.Errorf("WAYMARK=%s: %v", text, err)
		}
		want(t, "parts with WAYMARK="+text, len(images(t, "seen")) > 0, on)
		p.Start.Fire()
		p.Dispose()
	}
}

// A policy keeps tracers away, before Register or after it, or hides the arguments.
func TestGuard(t *testing.T) {
	for i, policy := range []switchboard.Policy{
		{Forbid: true}, {Kinds: []string{"Print"}}, {Origins: []switchboard.Origin{switchboard.Program}}, {Groups: map[string]bool{"G": true}},
	} {
		switchtest.Fresh(t)
		var p seen
		register(t, &p, USDT())
		attach(p.Probe("Start"), 1)
		lines, _ := switchboard.Default.Guard(policy)
		if len(lines) != 1 || !strings.HasPrefix(lines[0], "usdt: the program ") || !strings.HasSuffix(lines[0], "; tracers don't see provider seen any more") {
			t.Errorf("policy %d says %q", i, lines)
		}
		want(t, fmt.Sprintf("Enabled after policy %d", i), p.Start.Enabled(), false)
		p.Start.Fire()
		p.Dispose()
		err := Register(&p, USDT())
		if !errors.Is(err, switchboard.ErrForbidden) {
			t.Errorf("policy %d: got %v, want ErrForbidden", i, err)
		}
		want(t, "parts", len(images(t, "seen")), 0)
		p.Dispose()
	}
	switchtest.Fresh(t)
	switchboard.Default.Guard(switchboard.Policy{Kinds: []string{"USDT"}, Hide: true})
	var p seen
	register(t, &p, USDT())
	attach(p.Probe("finish"), 1)
	p.Finish.Fire(1, "secret", nil)
	f := spareFirings.Get().(*firing)
	if f.words[0] != 0 || strings.Contains(string(f.texts), "secret") {
		t.Errorf("tracers are told %v %q, want nothing", f.words, f.texts)
	}
}
