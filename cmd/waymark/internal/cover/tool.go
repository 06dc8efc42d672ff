package cover

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// IsCall tells whether a command line is one with which the go command calls this
// command for a tool.
func IsCall(args []string) bool { return len(args) > 3 && args[0] == word }

// Main runs a tool for the go command and gives its exit status.
func Main(args []string) int {
	err := call(args[1], args[2], args[3:])
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return max(exit.ExitCode(), 1) // the tool has said why
	}
	fmt.Fprintf(os.Stderr, "waymark: %v\n", err)
	return 1
}

func call(plan, words string, args []string) error {
	n, err := strconv.Atoi(words)
	if err != nil || n < 0 || n >= len(args) {
		return fmt.Errorf("%s: want a number of words and a tool", word)
	}
	t := &tool{prefix: args[:n], path: args[n]}
	args = args[n+1:]
	if strings.TrimSuffix(filepath.Base(t.path), ".exe") != "cover" {
		return become(t.command(args))
	}
	data, err := os.ReadFile(plan)
	if err != nil {
		return fmt.Errorf("-cover: %w; build again", err)
	}
	if err := json.Unmarshal(data, &t.plan); err != nil {
		return fmt.Errorf("-cover: %s: %w", plan, err)
	}
	if slices.Equal(args, []string{"-V=full"}) {
		return t.version(args)
	}
	return t.cover(args)
}

// A tool is the go command's cover.
type tool struct {
	prefix []string // the user's own -toolexec
	path   string
	plan   Plan
}

func (t *tool) command(args []string) []string {
	return slices.Concat(t.prefix, []string{t.path}, args)
}

func (t *tool) run(stdout io.Writer, args []string) error {
	words := t.command(args)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, os.Stderr
	return cmd.Run()
}

// What covers files is cover and this package.
//
//go:embed *.go
var self embed.FS

// version answers the go command's question for what results depend on besides the files,
// which the go command takes from the overlay. The answer goes to the end of the line: of
// a toolchain that isn't a release only that counts.
func (t *tool) version(args []string) error {
	var out bytes.Buffer
	if err := t.run(&out, args); err != nil {
		return err
	}
	h := sha256.New()
	entries, err := self.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		src, err := self.ReadFile(e.Name())
		if err != nil {
			return err
		}
		h.Write(src)
	}
	fmt.Fprintf(h, "%q", t.plan.Uncovered)
	_, err = fmt.Printf("%s+waymark.%x\n", strings.TrimSpace(out.String()), h.Sum(nil)[:8])
	return err
}

// An input is a file of the package to cover.
type input struct {
	path string // as the go command knows it
	out  string // where the result goes
	read string // what cover reads
	File
}

// cover runs cover as the go command wanted, but on the user's own files, and adds to the
// results what the compiler gets otherwise.
func (t *tool) cover(args []string) error {
	flags := flag.NewFlagSet("cover", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	config, list := flags.String("pkgcfg", "", ""), flags.String("outfilelist", "", "")
	mode, variable := flags.String("mode", "", ""), flags.String("var", "", "")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("-cover: the go command calls its tool cover in a way that waymark does not know: %w", err)
	}
	var c pkgConfig
	if err := c.read(*config); err != nil {
		return err
	}
	uncovered := slices.Contains(t.plan.Uncovered, c.path())
	if !uncovered && !slices.ContainsFunc(flags.Args(), func(path string) bool { _, ok := t.plan.Files[path]; return ok }) {
		return become(t.command(args))
	}
	outs, err := readLines(*list)
	if err != nil {
		return err
	}
	if len(outs) != 1+flags.NArg() {
		return fmt.Errorf("-cover: the go command wants %d results of %d files, in a way that waymark does not know", len(outs), flags.NArg())
	}
	dir, err := os.MkdirTemp(filepath.Dir(*list), "waymark-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var inputs []input
	for i, path := range flags.Args() {
		in := input{path: path, out: outs[1+i], read: path, File: t.plan.Files[path]}
		if in.Rewritten != "" && in.Original == "" {
			src, err := os.ReadFile(in.Rewritten)
			if err != nil {
				return err
			}
			if err := in.write(src); err != nil {
				return err
			}
			continue
		}
		if in.Original != "" && in.Original != path {
			// The user's own overlay. Only the name of the file is in profiles.
			if c.local() {
				return fmt.Errorf("-cover: %s is named on the command line and replaced by -overlay: name its package instead", path)
			}
			if in.read, err = copyTo(filepath.Join(dir, strconv.Itoa(i)), filepath.Base(path), in.Original); err != nil {
				return err
			}
		}
		inputs = append(inputs, in)
	}
	if uncovered {
		*mode = "regonly" // as the go command itself has it for packages that can't be left out
	}
	cover := func(config, vars string, read, write func(*input) string) error {
		files, results := []string{}, []string{vars}
		for i := range inputs {
			files, results = append(files, read(&inputs[i])), append(results, write(&inputs[i]))
		}
		list := filepath.Join(dir, "results.txt")
		if err := os.WriteFile(list, []byte(strings.Join(results, "\n")+"\n"), 0o644); err != nil {
			return err
		}
		return t.run(os.Stdout, slices.Concat([]string{"-pkgcfg", config, "-mode", *mode, "-var", *variable, "-outfilelist", list}, files))
	}
	if err := cover(*config, outs[0], func(in *input) string { return in.read }, func(in *input) string { return in.out }); err != nil {
		return err
	}

	// Again, with marks at waymark's edits.
	marked := make(map[string]*marks)
	for i := range inputs {
		in := &inputs[i]
		if in.Runs == nil {
			continue
		}
		m, err := in.mark()
		if err != nil {
			return err
		}
		marked[in.path] = m
		m.file = filepath.Join(dir, fmt.Sprint("marked-", i, ".go"))
		if err := os.WriteFile(m.file, m.text, 0o644); err != nil {
			return err
		}
	}
	if len(marked) > 0 {
		again := filepath.Join(dir, "pkgcfg.txt")
		if err := c.write(again, filepath.Join(dir, "coveragecfg")); err != nil {
			return err
		}
		read := func(in *input) string {
			if m := marked[in.path]; m != nil {
				return m.file
			}
			return in.read
		}
		write := func(in *input) string {
			if m := marked[in.path]; m != nil {
				return m.file + ".cover"
			}
			return filepath.Join(dir, "unused.go")
		}
		if err := cover(again, filepath.Join(dir, "covervars.go"), read, write); err != nil {
			return err
		}
	}
	for i := range inputs {
		in := &inputs[i]
		text, err := readBody(in.out)
		if err != nil {
			return err
		}
		if m := marked[in.path]; m != nil {
			other, err := readBody(m.file + ".cover")
			if err != nil {
				return err
			}
			if text, err = m.replace(other, text); err != nil {
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

// A pkgConfig is what the go command tells cover about a package, see
// cmd/internal/cov/covcmd. What isn't known here stays as it is.
type pkgConfig map[string]any

func (c *pkgConfig) read(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("-cover: the go command calls its tool cover in a way that waymark does not know: %w", err)
	}
	if err := json.Unmarshal(data, c); err != nil {
		return fmt.Errorf("-cover: %s: %w", path, err)
	}
	return nil
}

func (c pkgConfig) path() string {
	path, _ := c["PkgPath"].(string)
	return path
}

// local tells whether profiles have the whole paths of files.
func (c pkgConfig) local() bool {
	local, _ := c["Local"].(bool)
	return local
}

// write writes the configuration for a run whose results about the package nobody reads.
func (c pkgConfig) write(path, out string) error {
	c["OutConfig"], c["EmitMetaFile"] = out, ""
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
