package gate

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The first lines of a file; the second one says where the counts are from.
const (
	magic  = "# waymark counts 1: calls and heap objects by test and function; ~ differs from run to run and is not compared"
	onLine = "# on "
)

// Write writes the counts for people to read and for version control to compare. Each test has a
// line, and below it a line for each function, in order.
//
//	example.com/m/p TestParse
//		12	3	example.com/m/p.parse
//		1	~	example.com/m/p.init
func (file *Run) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\n%s%s\n", magic, onLine, file.On)
	for _, test := range file.sorted() {
		fmt.Fprintf(b, "\n%s %s\n", test.Package, test.Name)
		for _, name := range slices.Sorted(maps.Keys(file.Tests[test])) {
			n := file.Tests[test][name]
			fmt.Fprintf(b, "\t%v\t%v\t%s\n", n.Calls, n.Objects, name)
		}
	}
	return b.Flush()
}

// String returns the number as the file has it.
func (c Count) String() string {
	if c == Varies {
		return "~"
	}
	return strconv.FormatUint(uint64(c), 10)
}

func parseCount(text string) (Count, error) {
	if text == "~" {
		return Varies, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return Count(n), err
}

// Parse reads what Write wrote. Errors name the line.
func Parse(r io.Reader) (*Run, error) {
	file := newRun()
	var functions map[string]Counts
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSuffix(lines.Text(), "\r") // as git may have it on Windows
		on, isOn := strings.CutPrefix(line, onLine)
		switch {
		case n == 1:
			if line != magic {
				return nil, fmt.Errorf("line 1: not a file of waymark test --counts, or one of another version; write it anew")
			}
		case isOn:
			file.On = on
		case line == "" || line[0] == '#':
		case line[0] != '\t':
			pkg, name, ok := strings.Cut(line, " ")
			test := Test{pkg, name}
			if !ok || file.Tests[test] != nil {
				return nil, fmt.Errorf("line %d: want a package and a test that is not in the file yet: %q", n, line)
			}
			functions = make(map[string]Counts)
			file.Tests[test] = functions
		default:
			fields := strings.SplitN(line[1:], "\t", 3)
			if len(fields) < 3 || functions == nil {
				return nil, fmt.Errorf("line %d: want calls, objects and a function below a test: %q", n, line)
			}
			calls, err := parseCount(fields[0])
			objects, err2 := parseCount(fields[1])
			if err != nil || err2 != nil {
				return nil, fmt.Errorf("line %d: want two numbers, or ~: %q", n, line)
			}
			functions[fields[2]] = Counts{calls, objects}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(file.Tests) == 0 {
		return nil, fmt.Errorf("no test in it")
	}
	return file, nil
}
