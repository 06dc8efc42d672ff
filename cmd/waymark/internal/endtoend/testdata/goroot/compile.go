package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/instrument"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A compilation is a command line of the compiler, taken apart.
type compilation struct {
	flags []string
	files []string // Go files, at the end of the line
}

func parse(args []string) compilation {
	n := len(args)
	for n > 0 && strings.HasSuffix(args[n-1], ".go") {
		n--
	}
	return compilation{args[:n], args[n:]}
}

// value gives the value of a flag, which may be the next word.
func (c compilation) value(name string) string {
	for i, arg := range c.flags {
		if v, ok := strings.CutPrefix(arg, name+"="); ok {
			return v
		}
		if arg == name && i+1 < len(c.flags) {
			return c.flags[i+1]
		}
	}
	return ""
}

// leftAlone reports whether nothing can be instrumented: package runtime, what it
// imports, and what is compiled without package runtime at hand, or for an experiment
// that it wasn't compiled for.
func (c compilation) leftAlone() bool {
	return len(c.files) == 0 || os.Getenv("GOEXPERIMENT") != "" || slices.Contains(c.flags, "-+") || slices.Contains(c.flags, "-std") || c.value("-importcfg") == "" ||
		c.value("-p") == "runtime" || strings.HasPrefix(c.value("-p"), "internal/")
}

// asks reports whether the compiler is asked for what it makes of the code.
func (c compilation) asks() bool {
	return slices.ContainsFunc(c.flags, func(arg string) bool {
		return strings.HasPrefix(arg, "-m") || strings.HasPrefix(arg, "-d") || arg == "-live"
	})
}

// compile compiles the rewritten files. If the compiler has something to say about
// them, it says so of the plain files, as it does for waymark build: positions
// and words are the user's then. So it does when it is asked which functions it
// inlines and what escapes. The exit status is that of the rewritten files.
func compile(args []string) (int, error) {
	c := parse(args)
	plain := append([]string{"tool", "compile"}, args...)
	if c.leftAlone() {
		return goCommand(plain...)
	}
	dir, err := os.MkdirTemp("", "standin")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	files, functions, err := c.rewrite(dir)
	if err != nil {
		return 0, err
	}
	out := c.value("-o")
	flags := c.flags
	if out == "" {
		out = strings.TrimSuffix(filepath.Base(c.files[0]), ".go") + ".o"
		flags = append(slices.Clone(flags), "-o", out)
	}
	flags = append(slices.Clone(flags), "-trimpath="+dir+"=>"+filepath.Dir(c.files[0]))
	cmd := command(realGo, slices.Concat([]string{"tool", "compile"}, flags, files)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	code, err := status(cmd)
	if err != nil {
		return 0, err
	}
	if code == 0 {
		count("packages", 1)
		count("functions", functions)
	} else {
		count("refused", 1)
	}
	if said.Len() == 0 && !c.asks() {
		return code, nil
	}
	plainCode, err := goCommand(append(plain[:len(plain)-len(c.files):len(plain)-len(c.files)], append([]string{"-o", filepath.Join(dir, "plain.o")}, c.files...)...)...)
	if plainCode == 0 && code != 0 {
		os.Stderr.WriteString("the plain files compile, the rewritten don't:\n")
		os.Stderr.Write(said.Bytes())
	}
	return code, err
}

// rewrite writes the instrumented files to dir.
func (c compilation) rewrite(dir string) (files []string, functions int, err error) {
	u := &syntax.Unit{ImportPath: c.value("-p"), Main: c.value("-p") == "main", GoVersion: c.value("-lang")}
	for _, name := range c.files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		u.Files = append(u.Files, syntax.File{Path: name, Source: src})
	}
	o := &instrument.Options{
		Config:   syntax.Config{Toolchain: os.Getenv("STANDIN_GOVERSION"), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH},
		Closures: true,
		MinCost:  -1,
	}
	if u.Main {
		o.Imports = []string{"github.com/waymark-go/waymark/agent"}
	}
	a, err := instrument.Analyze(u, o)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range a.Funcs {
		f.Args, f.Results = true, true
	}
	plan, err := a.Plan()
	if err != nil {
		return nil, 0, err
	}
	write := func(path string, text []byte) error {
		name := filepath.Join(dir, filepath.Base(path))
		files = append(files, name)
		return os.WriteFile(name, text, 0o666)
	}
	table := format.AppendFacility(format.AppendTable(nil, u.ImportPath, plan.Sites), plan.Sites, plan.Facility)
	if g := plan.Generate(string(table)); g != nil {
		if err := write(g.Path, g.Source); err != nil {
			return nil, 0, err
		}
	}
	for i := range plan.Files {
		f := &plan.Files[i]
		text := u.Files[i].Source
		if f.Edits != nil {
			if text, err = f.Text(); err != nil {
				return nil, 0, err
			}
		}
		if err := write(f.Path, text); err != nil {
			return nil, 0, err
		}
	}
	return files, len(plan.Sites), nil
}
