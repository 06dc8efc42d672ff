package endtoend

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// exempt are programs of GOROOT/test that check what instrumentation must change,
// each with the cause. What can be told by a rule is in unlike.
var exempt = map[string]string{
	"maymorestack.go": "counts the calls of a function that the compiler puts into every prologue, those of the hooks too",
	"noinit.go":       "checks that a package has no code to initialise it; a rewritten one registers its functions",
}

// unlike returns the reason why a file of GOROOT/test, by its first line, is not
// about what a program does. It returns "" if there is no reason.
func unlike(recipe string) string {
	if strings.HasPrefix(recipe, "// asmcheck") {
		return "asmcheck: compares machine code"
	}
	if inlinedFrom.MatchString(recipe) {
		return "errorcheckdir -m: compares what the compiler inlines from other packages, whose functions are instrumented"
	}
	return ""
}

var inlinedFrom = regexp.MustCompile(`^// errorcheck(andrun)?dir .*-m\b`)

// TestGorootTest has the Go project's own runner judge all of GOROOT/test, with
// every package and program instrumented. What compiles still does, and what
// doesn't compile still doesn't. Programs print and exit as they should, both
// with tracing off and while they are recorded. See testdata/goroot for how.
// What fails is run once more with plain Go: what fails there too says nothing.
//
// Another release of Go is used through a link, as in TestStdBuild. Its module holds
// no GOROOT/test; that of the release in the path serves:
//
//	GOROOT=/tmp/go1.27 GOTOOLCHAIN=local PATH=/tmp/go1.27/bin:$PATH \
//		go test -run TestGorootTest -timeout 4h . -rewriter -goroot-test /usr/local/go/test
func TestGorootTest(t *testing.T) {
	if !*rewriter {
		t.Skip("not asked for: make test-rewriter")
	}
	root := goroot(t)
	programs := *gorootTest
	if programs == "" {
		programs = filepath.Join(root, "test")
	}
	if _, err := os.Stat(programs); err != nil {
		t.Fatalf("%v: name the folder with -goroot-test", err)
	}
	work := t.TempDir()
	standin := makeStandIn(t, work, root)
	links := linkGoroot(t, filepath.Join(work, "goroot"), root, programs)
	runner := filepath.Join(work, "testdir.test")
	command(t, filepath.Join(root, "src"), nil, "go", "test", "-c", "-o", runner, "cmd/internal/testdir")

	var failed []string
	results := runTestdir(t, runner, links, standin, *gorootRun)
	n := make(map[string]int)
	for name, result := range results {
		n[result.verdict]++
		if result.verdict == "FAIL" {
			failed = append(failed, name)
		}
	}
	slices.Sort(failed)
	if len(failed) > 0 {
		plainRoot := root // whose standard library is built already
		if *gorootTest != "" {
			plainRoot = links
		}
		plain := runTestdir(t, runner, plainRoot, nil, alternatives(failed))
		for _, name := range failed {
			cause, known := exempt[name]
			switch {
			case plain[name].verdict == "FAIL":
				t.Logf("%s fails without waymark too", name)
				n["plain"]++
			case known:
				t.Logf("%s: exempt: %s", name, cause)
				n["exempt"]++
			default:
				t.Errorf("%s: %s", name, results[name].said)
			}
		}
	}
	t.Logf("%s: %d files of GOROOT/test pass, %d are for other systems, %d fail without waymark too, %d are exempt; %s",
		standin.version, n["PASS"], n["SKIP"], n["plain"], n["exempt"], standin.done(t))
	if n["PASS"] < 1000 && *gorootRun == "." {
		t.Errorf("only %d files pass", n["PASS"])
	}
}

// A standIn is the command that takes the go command's place.
type standIn struct {
	dir, version string
	counts       string
	env          []string
}

func makeStandIn(t *testing.T, work, root string) *standIn {
	s := &standIn{dir: filepath.Join(work, "bin"), counts: filepath.Join(work, "counts")}
	module := filepath.Join(work, "module")
	if err := os.MkdirAll(module, 0o777); err != nil {
		t.Fatal(err)
	}
	s.version = strings.TrimSpace(string(command(t, module, nil, "go", "env", "GOVERSION")))
	version := strings.TrimPrefix(s.version, "go")
	for name, text := range map[string]string{"go.mod": "module standin\n\ngo " + version + "\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command(t, ".", nil, "go", "build", "-o", filepath.Join(s.dir, "go"), "./testdata/goroot")
	waymark := tool(t)
	cache := "WAYMARKCACHE=" + filepath.Join(work, "cache")
	env := string(command(t, module, []string{cache}, waymark, "env", "."))
	flags := regexp.MustCompile(`(?m)^export GOFLAGS='(.*)'$`).FindStringSubmatch(env)
	if flags == nil {
		t.Fatalf("waymark env: no GOFLAGS in\n%s", env)
	}
	realGo := filepath.Join(root, "bin", "go")
	if m := regexp.MustCompile(`(?m)^export GOROOT='(.*)'$`).FindStringSubmatch(env); m != nil {
		realGo = filepath.Join(m[1], "bin", "go")
	}
	s.env = []string{
		cache, "GOWORK=", "GOTOOLCHAIN=local",
		"STANDIN_GO=" + realGo, "STANDIN_WAYMARK=" + waymark, "STANDIN_MODULE=" + module,
		"STANDIN_GOFLAGS=" + flags[1], "STANDIN_GOVERSION=" + s.version, "STANDIN_COUNTS=" + s.counts,
		"PATH=" + s.dir + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	return s
}

// done adds up what the stand-in did.
func (s *standIn) done(t *testing.T) string {
	data, err := os.ReadFile(s.counts)
	if err != nil {
		t.Fatal(err)
	}
	sum := make(map[string]int)
	for line := range strings.Lines(string(data)) {
		what, n, _ := strings.Cut(strings.TrimSpace(line), " ")
		i, err := strconv.Atoi(n)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		sum[what] += i
	}
	if *gorootRun == "." && (sum["recorded"] == 0 || sum["functions"] == 0) {
		t.Errorf("nothing was instrumented and recorded: %v", sum)
	}
	return fmt.Sprintf("%d packages with %d functions compiled, %d refused as they should be, %d built by waymark build; %d programs run, %d of them recorded too",
		sum["packages"], sum["functions"], sum["refused"], sum["built"], sum["run"], sum["recorded"])
}

// linkGoroot makes a GOROOT of links to another, with a copy of the folder of
// programs. Programs that have nothing to be compared are not in the copy.
func linkGoroot(t *testing.T, dir, root, programs string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "test" {
			if err := os.Symlink(filepath.Join(root, e.Name()), filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := make(map[string]int)
	err = filepath.WalkDir(programs, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(programs, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, "test", rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		recipe, _, _ := bytes.Cut(data, []byte("\n"))
		if why := unlike(string(recipe)); why != "" && filepath.Ext(path) == ".go" {
			left[why]++
			return nil
		}
		return os.WriteFile(to, data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	for why, n := range left {
		t.Logf("%d files left out: %s", n, why)
	}
	return dir
}

// A verdict is what the runner says of a file: PASS, FAIL or SKIP, and why.
type verdict struct{ verdict, said string }

// runTestdir runs the runner on the files that a pattern names, with the stand-in
// or, if it is nil, with plain Go.
func runTestdir(t *testing.T, runner, root string, s *standIn, pattern string) map[string]verdict {
	t.Helper()
	cmd := exec.Command(runner, "-test.v", "-test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)), "-test.timeout=3h", "-test.run", "^Test$/"+pattern)
	cmd.Dir = filepath.Join(root, "src", "cmd", "internal", "testdir")
	cmd.Env = append(os.Environ(), "GO_TEST_TIMEOUT_SCALE=10")
	if s != nil {
		cmd.Env = append(cmd.Env, s.env...)
	}
	cmd.Env = append(cmd.Env, "GOROOT="+root)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	results := make(map[string]verdict)
	said := make(map[string]string)
	current := ""
	done := regexp.MustCompile(`^ *--- (PASS|FAIL|SKIP): Test/(\S+) \(`)
	says := regexp.MustCompile(`^=== (?:RUN|CONT|NAME) +Test/(\S+)`)
	for scan := bufio.NewScanner(bytes.NewReader(out)); scan.Scan(); {
		line := scan.Text()
		if m := done.FindStringSubmatch(line); m != nil {
			results[m[2]] = verdict{m[1], said[m[2]]}
		} else if m := says.FindStringSubmatch(line); m != nil {
			current = m[1]
		} else if !strings.HasPrefix(line, "=== ") {
			said[current] += line + "\n"
		}
	}
	if len(results) == 0 {
		t.Fatalf("cmd/internal/testdir: %v\n%s", err, out)
	}
	return results
}

// alternatives returns a pattern for -test.run that matches names with slashes.
func alternatives(names []string) string {
	var list []string
	for _, name := range names {
		var words []string
		for word := range strings.SplitSeq(name, "/") {
			words = append(words, "^"+regexp.QuoteMeta(word)+"$")
		}
		list = append(list, strings.Join(words, "/"))
	}
	return strings.Join(list, "|^Test$/")
}
