package build

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/usdt/probetable"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/wire/usdt"
)

// checkUSDT returns an error if programs of the build can't have USDT probes.
func (b *Build) checkUSDT() error {
	if !b.bearsUSDT() {
		return fmt.Errorf("--usdt: USDT probes need linux on amd64 or arm64, this build is for %s/%s", b.Env.GOOS, b.Env.GOARCH)
	}
	return nil
}

// bearsUSDT reports whether programs of the build can have USDT probes.
func (b *Build) bearsUSDT() bool {
	_, ok := usdt.ArchOf(b.Env.GOARCH)
	return b.Env.GOOS == "linux" && ok
}

// checkProbes returns an error if no function that a pattern of --usdt matches gets probes, and notes
// what else users should know.
func (b *Build) checkProbes(o *Options, s *selection, pkgs []*gocmd.Package) error {
	if len(o.USDT) == 0 {
		return nil
	}
	if o.NoCode {
		return fmt.Errorf("--usdt: functions without code have no probes: leave out --register-only")
	}
	for _, text := range o.USDT {
		set, err := pattern.CompileSet([]string{text}, b.Env.Dir)
		if err != nil {
			return err
		}
		var packages []pattern.Package
		for _, p := range pkgs {
			packages = append(packages, pattern.Package{Path: p.ImportPath, Name: p.Name, Own: s.own(p)})
		}
		set.Resolve(packages)
		var left []string
		probed := false
		for i := range b.Funcs {
			f := &b.Funcs[i]
			p := b.packages[f.Package]
			if p == nil {
				continue
			}
			if in, _ := set.Match(s.patternFunc(p, &f.Func, strings.TrimPrefix(f.Full, f.Package+"."))); !in {
				continue
			}
			probed = probed || f.Probed
			left = append(left, fmt.Sprintf("%s: %s", f.Name, cmp.Or(f.Reason, "an info function")))
		}
		if !probed && len(left) > 0 {
			more := ""
			if n := len(left) - mostLeft; n > 0 {
				left, more = left[:mostLeft], fmt.Sprintf("\n... and %d more", n)
			}
			return fmt.Errorf("--usdt %s: only instrumented functions have probes, and none of these is one:\n%s%s", text, strings.Join(left, "\n"), more)
		}
	}
	for i := range b.Funcs {
		if f := &b.Funcs[i]; f.Unpassed > 0 {
			b.Notes = append(b.Notes, fmt.Sprintf("--usdt: %s: a probe passes the first %d values, and leaves out %d", f.Name, probetable.MaxArguments, f.Unpassed))
		}
	}
	mode, _ := append(b.Env.Settings(), o.Flags...).Lookup("buildmode")
	if b.probes > 0 && mode != "" && mode != "default" && mode != "exe" && mode != "pie" {
		b.Notes = append(b.Notes, "--usdt: only programs have USDT probes; -buildmode="+mode+" makes none")
	}
	return nil
}

// mostLeft is how many functions without probes are listed.
const mostLeft = 10
