package usdt

import (
	"bytes"
	"debug/elf"
	"errors"
	"reflect"
	"testing"
)

// TestImage reads an image with package debug/elf.
func TestImage(t *testing.T) {
	for arch, machine := range map[Arch]elf.Machine{AMD64: elf.EM_X86_64, ARM64: elf.EM_AARCH64} {
		reg := map[Arch]string{AMD64: "rax", ARM64: "x0"}[arch]
		image := Image{Arch: arch, Page: 4096, Provider: "shop", Details: []byte("{}"),
			Probes: []ImageProbe{{Name: "start"}, {Name: "finish", Args: []Arg{Register(8, true, reg)}}}}
		file, l, err := image.Encode()
		if err != nil {
			t.Fatal(err)
		}
		f, err := elf.NewFile(bytes.NewReader(file))
		if err != nil {
			t.Fatalf("%s: %v", arch, err)
		}
		if f.Type != elf.ET_DYN || f.Machine != machine {
			t.Errorf("%s: %v for %v, want a shared object for %v", arch, f.Type, f.Machine, machine)
		}
		section := func(name string) []byte {
			s := f.Section(name)
			if s == nil {
				t.Fatalf("%s: no section %s", arch, name)
			}
			b, err := s.Data()
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		notes, err := Decode(section(NoteSection), arch)
		base := f.Section(BaseSection).Addr
		want := []Note{
			{Provider: "shop", Name: "start", Location: uint64(l.Sites[0]), Base: base, Semaphore: uint64(l.Semaphores[0])},
			{Provider: "shop", Name: "finish", Location: uint64(l.Sites[1]), Base: base, Semaphore: uint64(l.Semaphores[1]), Args: image.Probes[1].Args},
		}
		if err != nil || !reflect.DeepEqual(notes, want) {
			t.Errorf("%s: notes are %+v, %v; want %+v", arch, notes, err, want)
		}
		if got := section(DetailsSection); string(got) != "{}" {
			t.Errorf("%s: details are %q, want {}", arch, got)
		}
		code := append(arch.Site(), arch.Return()...)
		for i, at := range l.Sites {
			if got := file[at : at+len(code)]; !bytes.Equal(got, code) {
				t.Errorf("%s: the code of probe %d is % x, want % x", arch, i, got, code)
			}
		}
		// No part is writable and executable, each begins at a page, and they follow each other.
		end := uint64(0)
		for _, p := range f.Progs {
			if p.Flags&elf.PF_W != 0 && p.Flags&elf.PF_X != 0 {
				t.Errorf("%s: %+v is writable and executable", arch, p.ProgHeader)
			}
			if p.Type == elf.PT_LOAD {
				if p.Off != end || p.Off%4096 != 0 || p.Vaddr != p.Off {
					t.Errorf("%s: a part begins at %#x, mapped at %#x; want %#x", arch, p.Off, p.Vaddr, end)
				}
				end = p.Off + p.Filesz
			}
		}
		if end != uint64(l.End) {
			t.Errorf("%s: the parts end at %#x, want %#x", arch, end, l.End)
		}
		symbols, err := f.Symbols()
		if err != nil || len(symbols) != 2 || symbols[1].Name != "shop.finish" || symbols[1].Value != uint64(l.Sites[1]) {
			t.Errorf("%s: symbols are %+v, %v; want shop.start and shop.finish", arch, symbols, err)
		}
		// Tracers look for notes behind the first section with code.
		code1, notes1 := 0, 0
		for i, s := range f.Sections {
			switch s.Name {
			case ".text":
				code1 = i
			case NoteSection:
				notes1 = i
			}
		}
		if notes1 < code1 {
			t.Errorf("%s: section %d has the notes, %d the code; want the notes behind the code", arch, notes1, code1)
		}
		again, _, _ := image.Encode()
		if !bytes.Equal(file, again) {
			t.Errorf("%s: the same image has other bytes", arch)
		}
	}
	var wrong *NameError
	if _, _, err := (&Image{Arch: AMD64, Page: 4096, Provider: "a b", Probes: []ImageProbe{{Name: "x"}}}).Encode(); !errors.As(err, &wrong) {
		t.Errorf("a provider with a space: %v, want a NameError", err)
	}
	if file, _, err := (&Image{Arch: AMD64, Page: 4096, Provider: "empty"}).Encode(); err != nil {
		t.Errorf("no probe: %v", err)
	} else if _, err := elf.NewFile(bytes.NewReader(file)); err != nil {
		t.Errorf("no probe: %v", err)
	}
}
