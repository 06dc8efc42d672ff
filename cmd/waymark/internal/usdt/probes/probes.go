// Package probes lists the USDT probes of programs, as tracers of the system find them: by the notes
// in ELF files, whoever has built them.
//
//	list, err := probes.OfFile("app")
//	list, err := probes.OfProcess(4711) // of all files that the process runs code of
//	for _, p := range list {
//		fmt.Println(p.Provider, p.Name, p.Attached)
//	}
package probes

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"slices"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/usdt"
)

// A Probe is a place that tracers can attach to.
type Probe struct {
	Provider  string           `json:"provider"`
	Name      string           `json:"probe"`
	Module    string           `json:"module"`
	Function  string           `json:"function"`
	Args      []string         `json:"args"` // Go's types with names, if waymark has built the program; else where the arguments are
	Stability *usdt.Attributes `json:"stability,omitempty"`
	File      string           `json:"file"`
	Places    int              `json:"places"` // in the code

	// Attached is how many times tracers are attached: the semaphore. It is nil of a file, of a probe
	// without a semaphore, and where the process's memory can't be read.
	Attached *int `json:"attached,omitempty"`

	semaphore uint64
}

// ErrNone is the error about a file without probes.
var ErrNone = errors.New("no USDT probes")

// OfFile returns the probes of an ELF file, by provider and name.
func OfFile(path string) ([]Probe, error) {
	file, err := elf.Open(path)
	if err != nil {
		var format *elf.FormatError
		if errors.As(err, &format) {
			return nil, fmt.Errorf("%s: USDT probes are in programs and libraries in the format ELF, and this file is none: %w", path, err)
		}
		return nil, err
	}
	defer file.Close()
	list, err := read(file, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %w: build it with waymark build --usdt PATTERN, or with providers of package probe", path, ErrNone)
	}
	return list, nil
}

// read returns the probes of a file.
func read(file *elf.File, path string) (list []Probe, err error) {
	if file.Class != elf.ELFCLASS64 || file.Data != elf.ELFDATA2LSB {
		return nil, nil
	}
	arch := usdt.AMD64
	if file.Machine == elf.EM_AARCH64 {
		arch = usdt.ARM64
	}
	details := new(usdt.Details)
	if s := file.Section(usdt.DetailsSection); s != nil {
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		if details, err = usdt.DecodeDetails(data); err != nil {
			return nil, err
		}
	}
	var base uint64
	if s := file.Section(usdt.BaseSection); s != nil {
		base = s.Addr
	}
	for _, s := range file.Sections {
		if s.Type != elf.SHT_NOTE || s.Name != usdt.NoteSection {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		notes, err := usdt.Decode(data, arch)
		if err != nil {
			return nil, err
		}
		for i := range notes {
			n := &notes[i]
			if base != 0 && n.Semaphore != 0 {
				n.Semaphore += base - n.Base
			}
			list = add(list, n, arch, path, details)
		}
	}
	names.MakePrintable(&list)
	slices.SortStableFunc(list, func(a, b Probe) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}

// add adds the probe of a note, or a place to one that is known.
func add(list []Probe, n *usdt.Note, arch usdt.Arch, path string, details *usdt.Details) []Probe {
	for i := range list {
		if p := &list[i]; p.Provider == n.Provider && p.Name == n.Name {
			p.Places++
			return list
		}
	}
	p := Probe{Provider: n.Provider, Name: n.Name, File: path, Places: 1, Args: []string{}, semaphore: n.Semaphore}
	for _, a := range n.Args {
		p.Args = append(p.Args, a.Format(arch))
	}
	for i := range details.Providers {
		d := &details.Providers[i]
		if d.Name != n.Provider {
			continue
		}
		for _, one := range d.Probes {
			if one.Name != n.Name {
				continue
			}
			p.Module, p.Function = d.Module, one.Function
			if one.Args != nil {
				p.Args = one.Args
			}
			if d.Attributes != (usdt.Attributes{}) {
				p.Stability = &d.Attributes
			}
		}
	}
	return append(list, p)
}
