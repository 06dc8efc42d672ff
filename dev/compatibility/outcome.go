package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
)

// A Test names a test or subtest of a package; without a name it is the package itself.
type Test struct{ Package, Name string }

// address is what a pointer or function is printed as: no two runs have the same.
var address = regexp.MustCompile(`0x[0-9a-f]{5,}`)

// newTest names a test so that it has the same name in every run.
func newTest(pkg, name string) Test { return Test{pkg, address.ReplaceAllString(name, "0x…")} }

// top returns the test at the top level that t is in.
func (t Test) top() Test {
	name, _, _ := strings.Cut(t.Name, "/")
	return Test{t.Package, name}
}

// An Outcome is how a test ended.
type Outcome string

const (
	Pass Outcome = "pass"
	Fail Outcome = "fail"
	Skip Outcome = "skip"
	None Outcome = "none" // it did not run, or did not end
)

// Outcomes are those of one run.
type Outcomes struct {
	Of      map[Test]Outcome
	Output  map[Test]string  // of those that failed
	Took    map[Test]float64 // seconds
	Seconds float64          // that the packages' test programs ran, added up
	Wall    float64          // seconds of the whole command, which links test programs, too

	// TimedOut: go test's own limit ended a test program, and what ran then counts as failed.
	TimedOut bool
}

// of returns the outcome of t.
func (o *Outcomes) of(t Test) Outcome {
	if r, ok := o.Of[t]; ok {
		return r
	}
	return None
}

// maxOutput bounds what is kept of what a failed test printed, in bytes.
const maxOutput = 4000

// readOutcomes reads what go test -json prints. Lines that aren't JSON are the go
// command's own messages, which go to other.
func readOutcomes(r io.Reader, other io.Writer) (*Outcomes, error) {
	o := &Outcomes{Of: make(map[Test]Outcome), Output: make(map[Test]string), Took: make(map[Test]float64)}
	output := make(map[Test][]byte)
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var e struct {
				Action, Package, Test, Output, ImportPath string
				Elapsed                                   float64
			}
			if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &e) != nil {
				other.Write(line)
			} else {
				t := newTest(e.Package, e.Test)
				switch e.Action {
				case "output":
					o.TimedOut = o.TimedOut || strings.HasPrefix(e.Output, "panic: test timed out after ")
					if len(output[t]) < maxOutput {
						output[t] = append(output[t], e.Output...)
					}
				case "build-output":
					io.WriteString(other, e.Output)
				case "pass", "fail", "skip":
					if o.Of[t] != Fail { // of several with that name
						o.Of[t] = Outcome(e.Action)
					}
					if e.Action == "fail" {
						o.Output[t] = string(output[t])
					}
					o.Took[t] += e.Elapsed
					if e.Test == "" {
						o.Seconds += e.Elapsed
					}
					delete(output, t)
				}
			}
		}
		if err == io.EOF {
			// What has not ended was running when its program died.
			for t, out := range output {
				if t.Name != "" {
					o.Output[t] = string(out)
				}
			}
			return o, nil
		} else if err != nil {
			return o, err
		}
	}
}
