package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// An action is the part of action.yml that can go wrong unseen: nothing here runs it.
type action struct {
	Inputs map[string]struct{ Description, Default string }
	Runs   struct {
		Using string
		Steps []struct {
			ID, If, Uses, Shell, Run string
			With, Env                map[string]string
		}
	}
}

func readAction(t *testing.T) (a action, text string) {
	t.Helper()
	text = repository.Read(t, "action.yml")
	d := yaml.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a, text
}

func TestAction(t *testing.T) {
	a, text := readAction(t)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Errorf("runs: using %q, %d steps", a.Runs.Using, len(a.Runs.Steps))
	}
	used := make(map[string]bool)
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		if used[m[1]] = true; a.Inputs[m[1]].Description == "" {
			t.Errorf("input %s is not described", m[1])
		}
	}
	for name := range a.Inputs {
		if !used[name] {
			t.Errorf("input %s is not used", name)
		}
	}
	scripts := regexp.MustCompile(`\$GITHUB_ACTION_PATH/([a-z/]+\.sh)`)
	ids := make(map[string]bool)
	for i, s := range a.Runs.Steps {
		ids[s.ID] = true
		if (s.Uses == "") == (s.Run == "") || (s.Run == "") != (s.Shell == "") || s.Uses != "" && !strings.Contains(s.Uses, "@") {
			t.Errorf("step %d: want a run with a shell, or a uses with a version: %+v", i, s)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %d: values must not become part of a script: %s", i, s.Run)
		}
		for _, m := range scripts.FindAllStringSubmatch(s.Run, -1) {
			if info, err := os.Stat(repository.Path(t, m[1])); err != nil || info.Mode()&0o111 == 0 {
				t.Errorf("step %d: %s can't be run: %v", i, m[1], err)
			}
			for _, name := range regexp.MustCompile(`\$\{?([A-Z_]+)`).FindAllStringSubmatch(repository.Read(t, m[1]), -1) {
				if _, ok := s.Env[name[1]]; !ok && !strings.HasPrefix(name[1], "GITHUB_") {
					t.Errorf("step %d: %s uses %s, which is not set", i, m[1], name[1])
				}
			}
		}
	}
	for _, m := range regexp.MustCompile(`steps\.([a-z]+)\.`).FindAllStringSubmatch(text, -1) {
		if !ids[m[1]] {
			t.Errorf("there is no step %s", m[1])
		}
	}
}

// recipes returns the blocks of docs/recipes.md in a language.
func recipes(t *testing.T, language string) (blocks []string) {
	t.Helper()
	d := readDocument("docs/recipes.md", repository.Read(t, "docs/recipes.md"))
	inside := false
	for _, l := range d.lines {
		switch {
		case !l.code || l.fence != language || strings.HasPrefix(l.text, "```"):
			inside = false
		case !inside:
			blocks, inside = append(blocks, l.text+"\n"), true
		default:
			blocks[len(blocks)-1] += l.text + "\n"
		}
	}
	return blocks
}

func TestRecipesYAML(t *testing.T) {
	blocks := recipes(t, "yaml")
	if len(blocks) != 2 {
		t.Fatalf("%d blocks, want 2", len(blocks))
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(blocks[0]), &workflow); err != nil {
		t.Fatal(err)
	}
	a, _ := readAction(t)
	steps := workflow.Jobs["gate"].Steps
	if len(steps) == 0 {
		t.Fatal("the workflow has no steps")
	}
	last := steps[len(steps)-1]
	for name := range last.With {
		if _, ok := a.Inputs[name]; !ok {
			t.Errorf("%s: the action has no input %s", last.Uses, name)
		}
	}
	var release struct {
		Builds   []struct{ ID, Tool string }
		Archives []struct{ IDs []string }
	}
	if err := yaml.Unmarshal([]byte(blocks[1]), &release); err != nil {
		t.Fatal(err)
	}
	var builds, archived []string
	for _, b := range release.Builds {
		builds = append(builds, b.ID)
	}
	for _, one := range release.Archives {
		archived = append(archived, one.IDs...)
	}
	if len(builds) != 2 || !slices.Equal(builds, archived) {
		t.Errorf("builds %s, in archives %s", builds, archived)
	}
}

// The script that stands for the go command has waymark build, and does nothing else itself.
func TestRecipesGo(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a shell")
	}
	blocks := recipes(t, "sh")
	if len(blocks) != 1 {
		t.Fatalf("%d blocks, want 1", len(blocks))
	}
	dir := t.TempDir()
	for _, name := range []string{"go", "waymark"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!"+sh+"\necho "+name+" $#: \"$@\"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"build", "-ldflags", "-s -w", "./cmd/app"}, "waymark 4: build -ldflags -s -w ./cmd/app\n"},
		{[]string{"env", "GOOS"}, "go 2: env GOOS\n"},
	} {
		cmd := exec.Command(sh, append([]string{"-c", blocks[0], "waymark-go"}, tt.args...)...)
		cmd.Env = []string{"PATH=" + dir}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.args, out, err, tt.want)
		}
	}
}
