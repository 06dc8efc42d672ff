// Package linked reads from a program's binary which functions it has, and says why waymark has not
// instrumented some of them.
//
//	p, err := linked.Open("/proc/4711/exe")
//	why, found := p.Why("main.double")
package linked

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/text/names"
)

// mostNames is how many functions an answer lists.
const mostNames = 10

// A Program is what a binary says of its functions.
type Program struct {
	main  string // import path of package main
	table *gosym.Table
	code  map[string]uint64 // entries of functions that have code of their own
	names []string          // of all, with those that are inlined wherever they are called; sorted
}

// Open reads the binary at path, in the format ELF.
func Open(path string) (*Program, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	section, text := file.Section(".gopclntab"), file.Section(".text")
	if section == nil { // of programs that are independent of their position
		section = file.Section(".data.rel.ro.gopclntab")
	}
	if section == nil || text == nil {
		return nil, fmt.Errorf("%s has no table of functions", path)
	}
	data, err := section.Data()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p := &Program{main: info.Path, table: table, code: make(map[string]uint64), names: allNames(data, file.ByteOrder)}
	for i := range table.Funcs {
		f := &table.Funcs[i]
		p.code[f.Name] = f.Entry
		p.names = append(p.names, f.Name)
	}
	slices.Sort(p.names)
	p.names = slices.DeleteFunc(slices.Compact(p.names), func(name string) bool { return !strings.Contains(name, ".") })
	return p, nil
}

// allNames returns the names in a table of functions, those that are inlined too, which package gosym
// doesn't list. It returns nil if the table has another form than that from Go 1.18 on.
func allNames(data []byte, order binary.ByteOrder) []string {
	const head, names, after = 8, 3, 4 // bytes; the fields with the offsets of names and of what follows them
	if len(data) < head {
		return nil
	}
	size := int(data[7]) // of a pointer
	field := func(i int) uint64 {
		at := head + i*size
		switch {
		case size == 4 && at+size <= len(data):
			return uint64(order.Uint32(data[at:]))
		case size == 8 && at+size <= len(data):
			return order.Uint64(data[at:])
		}
		return 0
	}
	begin, end := field(names), field(after)
	if begin == 0 || begin > end || end > uint64(len(data)) {
		return nil
	}
	var list []string
	for _, name := range bytes.Split(data[begin:end], []byte{0}) {
		list = append(list, string(name))
	}
	return list
}

// Why returns why the functions that a pattern names were not instrumented, and what to do, and reports
// whether the program has such functions. If there are none, Why names those that come near.
func (p *Program) Why(text string) (why string, found bool) {
	set, err := pattern.CompileSet([]string{text}, "")
	if err != nil {
		return err.Error(), false
	}
	var packages []pattern.Package
	known := make(map[string]bool)
	for _, name := range p.names {
		if path := p.path(name); !known[path] {
			known[path] = true
			packages = append(packages, pattern.Package{Path: path})
		}
	}
	set.Resolve(packages)
	var list []string
	for _, name := range p.names {
		if in, _ := set.Match(pattern.FromRuntime(p.path(name), name)); in {
			list = append(list, name)
		}
	}
	build := fmt.Sprintf("waymark build --include '%s'", text)
	switch n := len(list); {
	case n == 0:
		return "the program has no function " + text + ": the linker leaves out what nothing calls" + pattern.IsIt(text, p.names, mostNames), false
	case n == 1:
		return p.why(list[0], build), true
	case n > mostNames:
		return fmt.Sprintf("the program has %d functions %s, such as %s, and none was instrumented: build it with %s", n, text, strings.Join(list[:mostNames], ", "), build), true
	}
	return fmt.Sprintf("the program has %s, and none was instrumented: build it with %s", strings.Join(list, ", "), build), true
}

// path returns the import path of a function's package.
func (p *Program) path(name string) string {
	path, _ := names.Split(name)
	if path == "main" {
		return p.main
	}
	return names.Unescape(path)
}

// why says of one function why it was not instrumented.
func (p *Program) why(name, build string) string {
	entry, coded := p.code[name]
	path := p.path(name)
	file, line, _ := p.table.PCToLine(entry)
	head := fmt.Sprintf("%s, %s:%d, ", name, filepath.Base(file), line)
	switch {
	case !coded:
		return name + " has no code of its own: the compiler has inlined it into its callers; " + build + " keeps its calls"
	case path == "runtime" || strings.HasPrefix(path, "internal/runtime/") || strings.HasPrefix(path, "runtime/internal/"):
		return head + "can't be instrumented: waymark's own hooks are built on package " + path
	case strings.HasSuffix(file, ".s"):
		return head + "is written in assembly: only Go functions can be instrumented"
	case file == "<autogenerated>":
		return name + " was made by the compiler, and has no source that could be instrumented"
	case literal(name):
		return head + "is a function literal: build the program with --closures, as in " + build + " --closures"
	}
	return head + "was left out when the program was built: --include did not name it, --exclude did, or it is tiny; " + build + " adds it"
}

// literal reports whether a function is a literal by its name, as in main.run.func1.2.
func literal(name string) bool {
	_, name = names.Split(name)
	for _, part := range strings.Split(name, ".")[1:] {
		if n := strings.TrimPrefix(part, "func"); n != part && n != "" && strings.Trim(n, "0123456789") == "" {
			return true
		}
	}
	return false
}
