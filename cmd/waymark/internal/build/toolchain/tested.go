package toolchain

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"go/ast"
	"go/version"
	"regexp"
	"slices"
	"strings"
)

// Tested lists the Go releases that the tests of this version of waymark run on.
var Tested = []string{"go1.26.8", "go1.27.2"}

// hashes.txt has a hash of each function that text is inserted into, in each tested release.
// `go test -run TestHashes -update` in this folder writes it.
//
//go:embed hashes.txt
var hashes string

// Use one of the tested releases, or take the risk.
func advice(release string) string {
	return fmt.Sprintf("use a tested release, as with GOTOOLCHAIN=%s in the environment, or try this one with --untested-go", release)
}

// nearest returns the tested release with the same major and minor version.
func nearest(goversion string) (string, error) {
	goversion, _, _ = strings.Cut(goversion, " ") // experiments follow
	for _, release := range Tested {
		if version.Lang(release) == version.Lang(goversion) {
			return release, nil
		}
	}
	return "", fmt.Errorf("waymark isn't tested with %s, only with %s: %s", goversion, strings.Join(Tested, ", "), advice(Tested[len(Tested)-1]))
}

// check returns an error if the release isn't tested. It isn't if there is no tested release of
// its minor version, or if functions with anchors are others than in that one.
func check(goversion, pkg string, found []string) error {
	release, err := nearest(goversion)
	if err != nil {
		return err
	}
	var changed []string
	for _, line := range found {
		if !strings.Contains(hashes, release+" "+line+"\n") {
			words := strings.Fields(line)
			changed = append(changed, fmt.Sprintf("%s in %s", words[1], words[0]))
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return fmt.Errorf("functions of package %s that waymark changes aren't in %s what they are in %s, with which it is tested: %s: %s",
		pkg, goversion, release, strings.Join(changed, ", "), advice(release))
}

// hashed returns the function, or the functions, that an anchor is in, with their hash: package/file,
// name and hash. It returns "" if the anchor is in no function.
func (p *patch) hashed(pkg string, a anchor) string {
	var names *regexp.Regexp
	name := a.fn
	switch {
	case a.each != "":
		name, names = a.each, regexp.MustCompile(a.each)
	case a.fn == "":
		return ""
	}
	h := sha256.New()
	for _, decl := range p.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if ok && fn.Body != nil && (names == nil && fullName(fn) == name || names != nil && names.MatchString(fn.Name.Name)) {
			h.Write(p.src[p.offset(fn.Pos()):p.offset(fn.End())])
		}
	}
	return fmt.Sprintf("%s/%s %s %x", pkg, a.file, name, h.Sum(nil)[:8])
}

// allHashed returns the lines of hashed for the anchors of a package, each once.
func allHashed(edits map[string]*patch, pkg string, anchors []anchor) (list []string) {
	for _, a := range anchors {
		if p := edits[a.file]; p != nil {
			if line := p.hashed(pkg, a); line != "" {
				list = append(list, line)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
