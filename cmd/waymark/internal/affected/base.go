package affected

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Checkout writes the files of a git revision to dir, and returns the folder that is there what the
// folder `in` is in the working tree. It changes nothing of the repository.
func Checkout(revision, in, dir string) (string, error) {
	top, err := git(in, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", fmt.Errorf("%s is in no git repository (%w): name a map file instead", in, err)
	}
	if _, err := git(in, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}"); err != nil {
		hint := "want a git revision, or a map file"
		if shallow, _ := git(in, nil, "rev-parse", "--is-shallow-repository"); shallow == "true" {
			hint = "this clone is shallow: get it by git fetch --depth=1 origin " + strings.TrimPrefix(revision, "origin/") + " and name FETCH_HEAD"
		}
		return "", fmt.Errorf("%s: git doesn't know it: %s", revision, hint)
	}
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	if _, err := git(top, index, "read-tree", "--end-of-options", revision+"^{tree}"); err != nil {
		return "", err
	}
	tree := filepath.Join(dir, "tree")
	if _, err := git(top, index, "checkout-index", "--all", "--prefix="+tree+string(filepath.Separator)); err != nil {
		return "", err
	}
	prefix, err := git(in, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return "", err
	}
	at := filepath.Join(tree, filepath.FromSlash(prefix))
	if _, err := os.Stat(at); err != nil {
		return "", fmt.Errorf("%s has no folder %s: name a later revision, or a map file", revision, prefix)
	}
	return at, nil
}

func git(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	// In a hook of git these name the repository, which needn't be that of dir.
	own := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}, name)
	})
	cmd.Dir, cmd.Env = dir, append(own, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" && errors.As(err, new(*exec.ExitError)) {
		err = errors.New(text)
	}
	return strings.TrimRight(string(out), "\r\n"), err
}
