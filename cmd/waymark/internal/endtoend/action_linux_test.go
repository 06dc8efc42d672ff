package endtoend

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// A runner does what GitHub does with action.yml: it runs the steps, in a shallow clone and a home that
// has what the cache kept.
type runner struct {
	*testing.T
	origin, work, home, tools string
}

// A job is one run of the steps.
type job struct {
	branch, affected string
	want             []string // regular expressions of lines
	wantNot          string
	fails            bool
}

// TestActionAffected runs the steps of the action for tests that a change can reach, on clones of a
// repository: without a map, after a change, with a map of another branch, and with a lost cache.
func TestActionAffected(t *testing.T) {
	if testing.Short() {
		t.Skip("installs waymark")
	}
	dir := t.TempDir()
	r := &runner{t, filepath.Join(dir, "origin"), filepath.Join(dir, "work"), filepath.Join(dir, "home"), filepath.Join(dir, "tools")}
	write(t, filepath.Join(r.origin, "go.mod"), "module example.com/app\n\ngo 1.22\n")
	write(t, filepath.Join(r.origin, "lib", "lib.go"), "package lib\n\nfunc Half(n int) int { return n / 2 }\n\nfunc Twice(n int) int { return 2 * n }\n\nfunc Same(n int) int { return n }\n")
	test := "package lib\n\nimport \"testing\"\n"
	for name, want := range map[string]string{"Half": "2", "Twice": "8", "Same": "4"} {
		test += "\nfunc Test" + name + "(t *testing.T) {\n\tif got := " + name + "(4); got != " + want + " {\n\t\tt.Error(got)\n\t}\n}\n"
	}
	write(t, filepath.Join(r.origin, "lib", "lib_test.go"), test)
	r.git("init", "-q", "-b", "main")
	r.commit()
	main := strings.TrimSpace(r.git("rev-parse", "HEAD"))
	r.branch("half", "n / 2", "n >> 1")
	r.branch("twice", "2 * n", "n << 1")
	r.branch("wrong", "2 * n", "3 * n")

	const none = "0000000000000000000000000000000000000000" // what a new branch has before it
	all := []string{`^waymark: there is no map yet: all tests run$`, `^waymark: runs 3 of 3 tests, in 1 of 1 package$`, `^ok  \texample.com/app/lib\t`}
	r.run("no map", job{branch: "main", affected: none, want: append(all, "^no revision "+none+" here: comparing with HEAD$")})
	r.run("nothing has changed", job{branch: "main", affected: main, want: []string{`^waymark: runs 0 of 3 tests`}})
	r.run("a change", job{branch: "half", affected: main, want: []string{
		`^run   example.com/app/lib TestHalf: example.com/app/lib.Half changed$`, `^skip  example.com/app/lib TestTwice: `, `^waymark: runs 1 of 3 tests`, `^ok  \t`,
	}})
	r.run("the same change again", job{branch: "half", affected: "main", want: []string{`^run   example.com/app/lib TestHalf: .* changed, since BASE; it has passed with it$`}})
	r.run("the map of another branch", job{branch: "twice", affected: "origin/main", wantNot: "no revision", want: []string{
		`^run   example.com/app/lib TestHalf: `, `^run   example.com/app/lib TestTwice: example.com/app/lib.Twice changed$`, `^waymark: runs 2 of 3 tests`,
	}})
	r.run("a wrong change", job{branch: "wrong", affected: "main", fails: true, want: []string{`^--- FAIL: TestTwice `, `^waymark: runs 1 of 3 tests`}})
	if err := os.RemoveAll(filepath.Join(r.home, ".cache", "waymark")); err != nil {
		t.Fatal(err)
	}
	r.run("a lost cache", job{branch: "half", affected: main, want: all})
}

func (r *runner) git(args ...string) string {
	r.Helper()
	return string(command(r.T, r.origin, nil, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...))
}

func (r *runner) commit() {
	r.git("add", "-A")
	r.git("commit", "-qm", "as it is")
}

// branch makes a branch of main with a change of the library.
func (r *runner) branch(name, old, text string) {
	r.git("checkout", "-q", "-b", name, "main")
	path := filepath.Join(r.origin, "lib", "lib.go")
	src, err := os.ReadFile(path)
	if err != nil {
		r.Fatal(err)
	}
	write(r.T, path, strings.Replace(string(src), old, text, 1))
	r.commit()
}

// run checks out a branch and runs the steps for it.
func (r *runner) run(name string, j job) {
	r.Helper()
	if err := os.RemoveAll(r.work); err != nil {
		r.Fatal(err)
	}
	r.git("clone", "-q", "--depth=1", "--branch", j.branch, "file://"+r.origin, r.work)
	out, err := r.steps(map[string]string{"affected": j.affected, "packages": "./...", "counts": "", "program": ""})
	if (err != nil) != j.fails {
		r.Errorf("%s: the steps end with %v; failing is wanted: %v", name, err, j.fails)
	}
	for _, want := range j.want {
		if !regexp.MustCompile("(?m)" + want).MatchString(out) {
			r.Errorf("%s: no line matches %s:\n%s", name, want, out)
		}
	}
	if j.wantNot != "" && strings.Contains(out, j.wantNot) {
		r.Errorf("%s: there is %q:\n%s", name, j.wantNot, out)
	}
}

// steps runs the steps that are for the inputs, as GitHub does, and returns what they print.
func (r *runner) steps(inputs map[string]string) (string, error) {
	var action struct {
		Runs struct {
			Steps []struct {
				If, Run string
				Env     map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(repository.Read(r.T, "action.yml")), &action); err != nil {
		r.Fatal(err)
	}
	input := regexp.MustCompile(`\$\{\{ inputs\.([a-z-]+) \}\}`)
	condition := regexp.MustCompile(`^inputs\.([a-z-]+) != ''`)
	env := append(os.Environ(), "HOME="+r.home, "GITHUB_ACTION_PATH="+repository.Path(r.T, ""), "GOPATH="+r.tools, "GOWORK=",
		"GOCACHE="+goEnv(r.T, "GOCACHE"), "GOMODCACHE="+goEnv(r.T, "GOMODCACHE"))
	files := map[string]string{"GITHUB_ENV": "", "GITHUB_PATH": "", "GITHUB_OUTPUT": ""}
	for name := range files {
		files[name] = filepath.Join(r.TempDir(), name)
		env = append(env, name+"="+files[name])
	}
	var out bytes.Buffer
	var errs []error
	for _, s := range action.Runs.Steps {
		if m := condition.FindStringSubmatch(s.If); s.Run == "" || m != nil && inputs[m[1]] == "" {
			continue
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.work, env, &out, &out
		for name, value := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+input.ReplaceAllStringFunc(value, func(text string) string { return inputs[input.FindStringSubmatch(text)[1]] }))
		}
		errs = append(errs, cmd.Run())
		vars, _ := os.ReadFile(files["GITHUB_ENV"])
		env = append(env, strings.Fields(string(vars))...)
		path, _ := os.ReadFile(files["GITHUB_PATH"])
		env = append(env, "PATH="+strings.Join(append(strings.Fields(string(path)), os.Getenv("PATH")), string(filepath.ListSeparator)))
	}
	return out.String(), errors.Join(errs...)
}
