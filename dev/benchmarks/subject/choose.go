package subject

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
)

// Choose returns those of a list whose names match a regexp, the value of a flag: at least one.
func Choose[T any](list []T, name func(T) string, flag, pattern string) (chosen []T, err error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	for _, one := range list {
		if match.MatchString(name(one)) {
			chosen = append(chosen, one)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("%s %q: no program has such a name", flag, pattern)
	}
	return chosen, nil
}

// Tools returns the path of the waymark command that is named so, and GOROOT.
func Tools(command string) (waymark, goroot string, err error) {
	if waymark, err = exec.LookPath(command); err != nil {
		return "", "", fmt.Errorf("-waymark: %w; make builds it", err)
	}
	if waymark, err = filepath.Abs(waymark); err != nil {
		return "", "", err
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return waymark, string(bytes.TrimSpace(out)), nil
}
