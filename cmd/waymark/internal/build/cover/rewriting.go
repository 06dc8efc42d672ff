package cover

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A rewriting is what cover is called for: the files of one package.
type rewriting struct {
	*tool
	config         pkgConfig
	mode, variable string
	dir            string // for files that nobody else reads
	inputs         []input
}

// An input is a file to cover.
type input struct {
	path string // as the go command knows it
	out  string // where the result goes
	read string // what cover reads
	File

	marks  *marks // if waymark has rewritten it
	marked string // where cover reads the text with marks
}

// open finds the user's texts. Generated files are done with that.
func (r *rewriting) open(paths, results []string) error {
	for i, path := range paths {
		in := input{path: path, out: results[i], read: path, File: r.plan.Files[path]}
		switch {
		case in.Rewritten != "" && in.Original == "":
			src, err := os.ReadFile(in.Rewritten)
			if err != nil {
				return err
			}
			if err := in.write(src); err != nil {
				return err
			}
			continue
		case in.Original != "" && in.Original != path:
			// The user's own overlay. Only the name of the file is in profiles.
			if r.config.local() {
				return fmt.Errorf("-cover: %s is named on the command line and replaced by -overlay: name its package instead", path)
			}
			var err error
			if in.read, err = copyTo(filepath.Join(r.dir, strconv.Itoa(i)), filepath.Base(path), in.Original); err != nil {
				return err
			}
		}
		r.inputs = append(r.inputs, in)
	}
	return nil
}

// run runs cover. vars is where it writes counters and meta-data, files says what it reads
// and where the result goes.
func (r *rewriting) run(config, vars string, files func(*input) (from, to string)) error {
	var inputs []string
	results := []string{vars}
	for i := range r.inputs {
		from, to := files(&r.inputs[i])
		inputs, results = append(inputs, from), append(results, to)
	}
	list := filepath.Join(r.dir, "results.txt")
	if err := os.WriteFile(list, []byte(strings.Join(results, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	return r.tool.Run(os.Stdout, slices.Concat([]string{"-pkgcfg", config, "-mode", r.mode, "-var", r.variable, "-outfilelist", list}, inputs)...)
}

// runMarked runs cover on all files again, with marks at waymark's edits.
func (r *rewriting) runMarked() error {
	any := false
	for i := range r.inputs {
		in := &r.inputs[i]
		if in.Runs == nil {
			continue
		}
		var err error
		if in.marks, err = in.mark(); err != nil {
			return err
		}
		in.marked = filepath.Join(r.dir, fmt.Sprint("marked-", i, ".go"))
		if err := os.WriteFile(in.marked, in.marks.text, 0o644); err != nil {
			return err
		}
		any = true
	}
	if !any {
		return nil
	}
	config := filepath.Join(r.dir, "pkgcfg.txt")
	if err := r.config.write(config, filepath.Join(r.dir, "coveragecfg")); err != nil {
		return err
	}
	return r.run(config, filepath.Join(r.dir, "covervars.go"), func(in *input) (string, string) {
		if in.marks == nil {
			return in.read, filepath.Join(r.dir, "unused.go")
		}
		return in.marked, in.marked + ".cover"
	})
}

// merge puts waymark's texts into the results.
func (r *rewriting) merge() error {
	for i := range r.inputs {
		in := &r.inputs[i]
		text, err := readBody(in.out)
		if err != nil {
			return err
		}
		if in.marks != nil {
			marked, err := readBody(in.marked + ".cover")
			if err != nil {
				return err
			}
			if text, err = in.marks.replace(marked, text); err != nil {
				return fmt.Errorf("-cover: %s: %w", in.path, err)
			}
		}
		if err := in.write(text); err != nil {
			return err
		}
	}
	return nil
}

// write writes what the compiler gets, which takes it for the user's file.
func (in *input) write(text []byte) error {
	return os.WriteFile(in.out, append(fmt.Appendf(nil, "//line %s:1:1\n", in.path), text...), 0o644)
}

// readBody reads a result of cover without its first line, which names the file.
func readBody(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	line, body, _ := bytes.Cut(text, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("//line ")) {
		return nil, fmt.Errorf("-cover: %s does not begin with a line directive: waymark does not know this toolchain's cover", path)
	}
	return body, nil
}

func readLines(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	return strings.Split(strings.TrimSpace(string(data)), "\n"), err
}

func copyTo(dir, name, from string) (string, error) {
	data, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, data, 0o644)
}
