//go:build linux && (amd64 || arm64)

package probe

import (
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/usdt"
)

const usdtSupported = true

// usdtArch is this processor.
var usdtArch, _ = usdt.ArchOf(runtime.GOARCH)

// openUSDT maps an image with the places of a provider's probes, if policies allow it.
func openUSDT(l *live) (sink, error) {
	if l.mapped {
		return nil, nil // another factory has been here
	}
	image, err := l.image()
	if err != nil {
		return nil, err
	}
	file, layout, err := image.Encode()
	if err != nil {
		return nil, err
	}
	s := &places{owner: switchboard.Default.Join("USDT", switchboard.Command)}
	s.owner.Removed = func(reason string) string {
		s.forbidden.Store(true)
		return "usdt: " + reason + "; tracers don't see provider " + l.name + " any more"
	}
	// Probes are in no group: a policy that allows some groups only doesn't allow them.
	if err := s.owner.Set(switchboard.Wish{Want: rt.Recorded, Kind: "USDT", Select: switchboard.Selection{Groups: []string{""}}}); err != nil {
		return nil, err
	}
	if s.fixed = l.take(); s.fixed != nil {
		s.sites, l.words, l.mapped = s.fixed.Locations, s.fixed.Words, true
		return s, nil
	}
	if s.mapping, err = mapImage(l.name, file, layout); err != nil {
		s.owner.Close()
		return nil, err
	}
	for i := range l.probes {
		s.sites = append(s.sites, s.address(layout.Sites[i]))
		l.words = append(l.words, (*uint32)(s.pointer(layout.Semaphores[i])))
	}
	l.mapped = true
	return s, nil
}

// take returns the places that the program's file has for the provider, nil if it has none.
func (l *live) take() *rt.Places {
	names := make([]string, len(l.probes))
	for i, p := range l.probes {
		names[i] = p.name
	}
	return rt.TakePlaces(l.of.PkgPath()+"."+l.of.Name(), l.name, strings.Join(names, ","))
}

// image returns what is mapped.
func (l *live) image() (*usdt.Image, error) {
	image := &usdt.Image{Arch: usdtArch, Page: os.Getpagesize(), Provider: l.name}
	for _, p := range l.probes {
		one := usdt.ImageProbe{Name: p.name}
		for i := range p.args {
			one.Args = append(one.Args, usdt.Register(p.args[i].size, p.args[i].signed, registers[i]))
		}
		image.Probes = append(image.Probes, one)
	}
	var err error
	image.Details, err = l.details()
	return image, err
}

// places is a provider's sink for tracers.
type places struct {
	*mapping             // nil if the program's file has the places
	fixed     *rt.Places // these
	sites     []uintptr  // by probe
	owner     *switchboard.Owner
	forbidden atomic.Bool // by a policy that came later
}

func (s *places) name() string { return "USDT" }

func (s *places) begin(*Probe, int) {}

func (s *places) enabled(p *Probe) bool { return p.live.attached(p) > 0 && !s.forbidden.Load() }

func (s *places) close() error {
	s.owner.Close()
	if s.fixed != nil {
		for _, word := range s.fixed.Words {
			*(*uint16)(unsafe.Add(unsafe.Pointer(word), 2)) = 0
		}
		s.fixed.Give()
		return nil
	}
	return s.mapping.close()
}

// A firing holds what tracers read of one.
type firing struct {
	words [MaxArgs]uint64
	texts []byte // of the strings, each with a 0 byte; words point there
}

var spareFirings = sync.Pool{New: func() any { return new(firing) }}

// nothing are the arguments where a policy hides values.
var nothing = func() (v values) {
	zero := new([2]uint64) // as large as a string
	for i := range v {
		v[i] = unsafe.Pointer(zero)
	}
	return v
}()

func (s *places) fire(p *Probe, v *values) {
	if !s.enabled(p) {
		return
	}
	if switchboard.Default.Hidden() {
		v = &nothing
	}
	f := spareFirings.Get().(*firing)
	room := 0
	for i := range p.args {
		if a := &p.args[i]; a.kind != reflect.String {
			f.words[i] = a.word(v[i])
		} else {
			room += len(cut(*(*string)(v[i]))) + 1
		}
	}
	if room > 0 {
		f.copyTexts(p, v, room)
	}
	place(s.sites[p.index], &f.words)
	spareFirings.Put(f)
}

// copyTexts copies the strings, and has words point to the copies: the memory has room bytes, and
// doesn't move.
func (f *firing) copyTexts(p *Probe, v *values, room int) {
	if cap(f.texts) < room {
		f.texts = make([]byte, 0, room)
	}
	b := f.texts[:0]
	for i := range p.args {
		if p.args[i].kind != reflect.String {
			continue
		}
		at := len(b)
		b = append(append(b, cut(*(*string)(v[i]))...), 0)
		f.words[i] = uint64(uintptr(unsafe.Pointer(&b[at])))
	}
	f.texts = b
}

// cut returns at most MaxText bytes of s, and whole characters.
func cut(s string) string {
	if len(s) <= MaxText {
		return s
	}
	n := MaxText
	for n > MaxText-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// place calls the instructions at site, which do nothing unless a tracer has replaced them, with words
// in the registers. It needs 64 bytes of stack: the kernel may have replaced them by a call.
//
//go:noescape
func place(site uintptr, words *[MaxArgs]uint64)
