package delve

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lines are the lines of a program as waymark shows them.
type lines struct {
	shown   map[int][]string // the texts of the variables, of each hit
	absent  map[int]string   // the names of those that are not there, each between ", " and ","
	refused []int            // can't be watched, or only behind their own code
	bodies  []int            // of loops over functions
}

var (
	absent = regexp.MustCompile(`fixture\.go:([0-9]+): not there, or optimised away: ([^;\n]*)`)
	later  = regexp.MustCompile(`fixture\.go:([0-9]+): the first of its code that can be patched`)
	body   = regexp.MustCompile(`fixture\.go:([0-9]+): of the variables around the loop`)
	unseen = regexp.MustCompile(`fixture\.go:([0-9]+), in [^ ]*, (is not seen|can't be patched)`)
)

// refused matches the line that waymark can't watch.
var refused = regexp.MustCompile(`fixture\.go:([0-9]+)`)

// watch records a program's lines at which Delve has stopped, and returns the texts of the variables of each hit.
func watch(t *testing.T, ctx context.Context, dir, program string, stops []stop) *lines {
	var list []int
	found := &lines{shown: make(map[int][]string), absent: make(map[int]string)}
	for _, s := range stops {
		if !slices.Contains(list, s.line) {
			list = append(list, s.line)
		}
	}
	for {
		args := []string{"record", "-o", "out.wmt", "--arg-depth", strconv.Itoa(depth), "--arg-bytes", "2048"}
		for _, line := range list {
			args = append(args, "--include", "fixture.go:"+strconv.Itoa(line))
		}
		record := exec.CommandContext(ctx, *command, append(args, program)...)
		record.Dir = dir
		var errs strings.Builder
		record.Stderr = &errs
		record.Run()
		if _, err := os.Stat(filepath.Join(dir, "out.wmt")); err == nil {
			for _, m := range absent.FindAllStringSubmatch(errs.String(), -1) {
				line, _ := strconv.Atoi(m[1])
				found.absent[line] += ", " + m[2] + "," // a line may have several places
			}
			found.refused = append(found.refused, linesOf(later, errs.String())...)
			found.refused = append(found.refused, linesOf(unseen, errs.String())...)
			found.bodies = linesOf(body, errs.String())
			break
		}
		of := refused.FindStringSubmatch(errs.String())
		if of == nil {
			t.Fatalf("%v\n%s", record, errs.String())
		}
		line, _ := strconv.Atoi(of[1])
		i := slices.Index(list, line)
		if i < 0 {
			t.Fatalf("%s", errs.String())
		}
		t.Log(errs.String())
		found.refused = append(found.refused, line)
		list = slices.Delete(list, i, i+1)
	}
	replay := exec.CommandContext(ctx, *command, "replay", "--width", "0", "out.wmt")
	replay.Dir = dir
	out, err := replay.Output()
	if err != nil {
		t.Fatalf("%v: %v", replay, err)
	}
	for text := range strings.Lines(string(out)) {
		_, text, ok := strings.Cut(text, "// fixture.go:")
		if !ok {
			continue
		}
		number, text, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "(")
		line, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(text)
		}
		found.shown[line] = append(found.shown[line], strings.TrimSuffix(text, ")"))
	}
	return found
}

// linesOf returns the lines of which a text tells what an expression matches.
func linesOf(e *regexp.Regexp, text string) (list []int) {
	for _, m := range e.FindAllStringSubmatch(text, -1) {
		line, _ := strconv.Atoi(m[1])
		list = append(list, line)
	}
	return list
}
