package cli

import (
	"io"
	"regexp"
	"slices"
)

// outcomes reads what go test prints, and hands it on.
type outcomes struct {
	to     io.Writer
	line   []byte
	tests  []string        // that have failed, of the package that comes next
	passed map[string]bool // packages
	failed failures
}

// failures are tests of the top level by package and name. A package itself has no name.
type failures map[[2]string]bool

// tests returns those of a package.
func (f failures) tests(path string) map[string]bool {
	names := make(map[string]bool)
	for t := range f {
		if t[0] == path && t[1] != "" {
			names[t[1]] = true
		}
	}
	return names
}

// count returns how many tests there are, a package without one counting for one.
func (f failures) count() (n int) {
	for t := range f {
		if t[1] != "" || len(f.tests(t[0])) == 0 {
			n++
		}
	}
	return n
}

var (
	testFailed    = regexp.MustCompile(`--- FAIL: ([^\s/]+) \(`) // behind what a test has printed last
	packageResult = regexp.MustCompile(`^(ok  |FAIL)\t(\S+)`)
	jsonResult    = regexp.MustCompile(`^\{.*"Action":"(pass|fail)","Package":"([^"]+)"(?:,"Test":"([^"/]+)")?,"Elapsed"`)
)

func (o *outcomes) Write(b []byte) (int, error) {
	o.line = append(o.line, b...)
	for {
		i := slices.Index(o.line, '\n')
		if i < 0 {
			return o.to.Write(b)
		}
		o.read(string(o.line[:i]))
		o.line = o.line[i+1:]
	}
}

func (o *outcomes) read(line string) {
	if m := testFailed.FindStringSubmatch(line); m != nil {
		o.tests = append(o.tests, m[1])
	} else if m := packageResult.FindStringSubmatch(line); m != nil {
		o.result(m[2], "", m[1] != "FAIL")
		for _, test := range o.tests {
			o.result(m[2], test, false)
		}
		o.tests = nil
	} else if m := jsonResult.FindStringSubmatch(line); m != nil {
		o.result(m[2], m[3], m[1] == "pass")
	}
}

func (o *outcomes) result(path, test string, passed bool) {
	if !passed {
		o.failed[[2]string{path, test}] = true
	} else if test == "" {
		o.passed[path] = true
	}
}
