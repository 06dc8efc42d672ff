package seen

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

// WriteText writes the functions in list by package, if tests is set with the tests that call them, and
// what the files are.
func WriteText(w io.Writer, s *Set, list []*Func, tests bool) error {
	b := bufio.NewWriter(w)
	all := make(map[string][2]int) // functions and those called, of all in the files
	for _, f := range s.Funcs {
		n := all[f.Package]
		n[0]++
		if f.Called {
			n[1]++
		}
		all[f.Package] = n
	}
	for i, f := range list {
		if i == 0 || list[i-1].Package != f.Package {
			if i > 0 {
				fmt.Fprintln(b)
			}
			n := all[f.Package]
			fmt.Fprintf(b, "%s: %d of %s called\n", f.Package, n[1], units.Things(uint64(n[0]), "function"))
		}
		state := "never "
		if f.Called {
			state = "called"
		}
		_, name := names.Split(f.Name)
		fmt.Fprintf(b, "  %s  %s  %s:%d%s\n", state, name, filepath.Base(f.File), f.Line, s.only(f))
		if tests {
			writeTests(b, f)
		}
	}
	if len(list) > 0 {
		fmt.Fprintln(b)
	}
	fmt.Fprintln(b, s.summary())
	return b.Flush()
}

// writeTests writes a line for each package with tests that call the function.
func writeTests(w io.Writer, f *Func) {
	for i, t := range f.Tests {
		if i == 0 || f.Tests[i-1].Package != t.Package {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "          %s:", t.Package)
		}
		fmt.Fprintf(w, " %s", t.Name)
		if !t.Alone {
			fmt.Fprint(w, "?")
		}
	}
	if len(f.Tests) > 0 {
		fmt.Fprintln(w)
	}
}

// only says that some builds don't have the function.
func (s *Set) only(f *Func) string {
	if s.Everywhere(f) {
		return ""
	}
	numbers := make([]string, len(f.Builds))
	for i, n := range f.Builds {
		numbers[i] = strconv.Itoa(n + 1)
	}
	return "  only in build " + strings.Join(numbers, ", ")
}

// summary says what there is in the files.
func (s *Set) summary() string {
	packages, called, files := make(map[string]bool), 0, 0
	for _, f := range s.Funcs {
		packages[f.Package] = true
		if f.Called {
			called++
		}
	}
	var b strings.Builder
	for _, build := range s.Builds {
		files += len(build.Files)
	}
	fmt.Fprintf(&b, "%s: %s of %s: %d called, %d never; %s", strings.Join(s.Programs(), ", "),
		units.Things(uint64(len(s.Funcs)), "function"), units.Things(uint64(len(packages)), "package"), called, len(s.Funcs)-called,
		units.Things(uint64(files), "file"))
	if len(s.Builds) == 1 {
		fmt.Fprintf(&b, ", one build, since %s", s.Builds[0].since())
		return b.String()
	}
	for i, build := range s.Builds {
		fmt.Fprintf(&b, "\nbuild %d: %s, since %s: %s", i+1, filepath.Base(build.Program), build.since(), strings.Join(build.Files, ", "))
	}
	return b.String()
}

func (b *Build) since() string { return b.Start.Format(time.DateTime) }

// WriteJSON writes the functions in list as an object.
func WriteJSON(w io.Writer, s *Set, list []*Func) error {
	type build struct {
		ID      string   `json:"id"`
		Program string   `json:"program"`
		Go      string   `json:"go"`
		Start   int64    `json:"start_unix_ns"`
		Files   []string `json:"files"`
	}
	type test struct {
		Package string `json:"package"`
		Test    string `json:"test"`
		Alone   bool   `json:"alone"`
	}
	type fn struct {
		Name    string `json:"name"`
		Package string `json:"package"`
		File    string `json:"file"`
		Line    int    `json:"line"`
		Called  bool   `json:"called"`
		Builds  []int  `json:"builds"`
		Tests   []test `json:"tests,omitempty"`
	}
	out := struct {
		Builds    []build           `json:"builds"`
		Unwatched int               `json:"unwatched"`
		LeftOut   *function.LeftOut `json:"left_out,omitempty"`
		Functions []fn              `json:"functions"`
	}{[]build{}, s.Unwatched, nil, []fn{}}
	if s.LeftOut.Functions > 0 {
		out.LeftOut = &s.LeftOut
	}
	for _, b := range s.Builds {
		out.Builds = append(out.Builds, build{b.ID, b.Program, b.Go, b.Start.UnixNano(), b.Files})
	}
	for _, f := range list {
		var tests []test
		for _, t := range f.Tests {
			tests = append(tests, test{t.Package, t.Name, t.Alone})
		}
		out.Functions = append(out.Functions, fn{f.Name, f.Package, f.File, f.Line, f.Called, f.Builds, tests})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

// WriteCSV writes the functions in list as rows. Builds are indices, separated by spaces.
func WriteCSV(w io.Writer, list []*Func) error {
	c := csv.NewWriter(w)
	c.Write([]string{"name", "package", "file", "line", "called", "builds"})
	for _, f := range list {
		c.Write([]string{f.Name, f.Package, f.File, strconv.Itoa(f.Line), strconv.FormatBool(f.Called), strings.Trim(fmt.Sprint(f.Builds), "[]")})
	}
	c.Flush()
	return c.Error()
}

// WriteTestsCSV writes a row for each function in list and test that calls it, and one for each function
// that no test calls.
func WriteTestsCSV(w io.Writer, list []*Func) error {
	c := csv.NewWriter(w)
	c.Write([]string{"name", "package", "file", "line", "test_package", "test", "alone"})
	for _, f := range list {
		of := []string{f.Name, f.Package, f.File, strconv.Itoa(f.Line)}
		if len(f.Tests) == 0 {
			c.Write(append(of, "", "", ""))
		}
		for _, t := range f.Tests {
			c.Write(append(of[:4:4], t.Package, t.Name, strconv.FormatBool(t.Alone)))
		}
	}
	c.Flush()
	return c.Error()
}

// WriteCover writes a coverage profile with a block for each function in list, as go test
// -coverprofile does: `go tool cover` reads it. Files of tests are left out, as there. It returns the
// number of functions that the files don't know the end of.
func WriteCover(w io.Writer, list []*Func) (left int, err error) {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "mode: set")
	for _, f := range list {
		base := filepath.Base(f.File)
		switch {
		case strings.HasSuffix(base, "_test.go"):
			continue
		case f.Body.Column == 0:
			left++
			continue
		}
		n := 0
		if f.Called {
			n = 1
		}
		fmt.Fprintf(b, "%s:%d.%d,%d.%d 1 %d\n", path.Join(f.Package, base), f.Body.Line, f.Body.Column, f.Body.EndLine, f.Body.EndColumn, n)
	}
	return left, b.Flush()
}
