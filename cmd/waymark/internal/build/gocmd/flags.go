package gocmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// valueFlags are the flags of go build, run, test and vet that take a value in
// the next argument unless one follows an equals sign. All others are boolean.
var valueFlags = makeSet(`C p asmflags buildmode buildvcs compiler gccgoflags gcflags installsuffix ldflags
	mod modfile overlay pgo pkgdir tags toolexec o exec covermode coverpkg
	bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile fuzz fuzztime
	fuzzminimizetime list memprofile memprofilerate mutexprofile mutexprofilefraction outputdir
	parallel run shuffle skip timeout trace vet vettool fuzzcachedir testlogfile gocoverdir artifacts_dir`)

// boolFlags are the others of go test.
var boolFlags = makeSet(`a n v x race msan asan cover work json linkshared modcacherw trimpath
	c i artifacts benchmem failfast fullpath short`)

// testOnly are those of both that go build and go run don't know.
var testOnly = makeSet(`bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile fuzz fuzztime
	fuzzminimizetime list memprofile memprofilerate mutexprofile mutexprofilefraction outputdir
	parallel run shuffle skip timeout trace vet vettool fuzzcachedir testlogfile gocoverdir artifacts_dir
	c i artifacts benchmem failfast fullpath short`)

// optionalValue are flags whose value may only follow an equals sign.
var optionalValue = makeSet(`buildvcs`)

func makeSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// Flags are arguments for the go command.
type Flags []string

// flagName returns the name of a flag argument without dashes, a test. prefix and value.
func flagName(arg string) (name, value string, hasValue bool) {
	name = strings.TrimLeft(arg, "-")
	name, value, hasValue = strings.Cut(name, "=")
	return strings.TrimPrefix(name, "test."), value, hasValue
}

// TakesValue reports whether arg, a flag of the go command, is followed by its value.
func TakesValue(arg string) bool {
	name, _, hasValue := flagName(arg)
	return !hasValue && valueFlags[name] && !optionalValue[name]
}

// KnownToTest reports whether arg is a flag that go test knows. All others are those of
// the tests themselves.
func KnownToTest(arg string) bool {
	name, _, _ := flagName(arg)
	return valueFlags[name] || boolFlags[name]
}

// KnownToBuild reports whether arg is a flag that go build or go run knows.
func KnownToBuild(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	name, _, _ = strings.Cut(name, "=")
	return (valueFlags[name] || boolFlags[name]) && !testOnly[name]
}

// Lookup returns the last value of the flag with the given name; "true" for a
// boolean flag without one.
func (f Flags) Lookup(name string) (value string, ok bool) {
	for i := 0; i < len(f); i++ {
		n, v, has := flagName(f[i])
		next := TakesValue(f[i])
		if n == name {
			switch {
			case has:
				value, ok = v, true
			case next && i+1 < len(f):
				value, ok = f[i+1], true
			case !next:
				value, ok = "true", true
			}
		}
		if next {
			i++
		}
	}
	return value, ok
}

// Bool reports whether the boolean flag is set.
func (f Flags) Bool(name string) bool {
	v, ok := f.Lookup(name)
	return ok && v != "false" && v != "0"
}

// Covers reports whether the go command may cover packages.
func (f Flags) Covers() bool {
	for _, name := range []string{"covermode", "coverpkg", "coverprofile"} {
		if _, ok := f.Lookup(name); ok {
			return true
		}
	}
	return f.Bool("cover")
}

// Without returns the flags without those of the given names.
func (f Flags) Without(names ...string) Flags {
	return f.only(func(name string) bool { return !slices.Contains(names, name) })
}

// only returns the flags with names for which keep reports true.
func (f Flags) only(keep func(name string) bool) Flags {
	var out Flags
	for i := 0; i < len(f); i++ {
		name, _, _ := flagName(f[i])
		size := 1
		if TakesValue(f[i]) && i+1 < len(f) {
			size = 2
		}
		if keep(name) {
			out = append(out, f[i:i+size]...)
		}
		i += size - 1
	}
	return out
}

// pathFlags are the build flags whose values are files or folders.
var pathFlags = makeSet(`o overlay pgo pkgdir`)

// Absolute returns the flags with values that are relative files or folders taken from dir.
func (f Flags) Absolute(dir string) Flags {
	out := slices.Clone(f)
	for i := 0; i < len(out); i++ {
		name, value, has := flagName(out[i])
		at := i
		if TakesValue(out[i]) && i+1 < len(out) {
			i++
			value = out[i]
		}
		special := name == "pgo" && (value == "auto" || value == "off")
		if !pathFlags[name] || value == "" || special || filepath.IsAbs(value) {
			continue
		}
		abs := filepath.Join(dir, value)
		if os.IsPathSeparator(value[len(value)-1]) {
			abs += string(filepath.Separator) // a folder, for -o
		}
		if has {
			out[at] = "-" + name + "=" + abs
		} else {
			out[i] = abs
		}
	}
	return out
}

// listFlags are the build flags that decide which packages and files a build has.
// go list takes all build flags, but not those of go test.
var listFlags = makeSet(`C mod modfile overlay tags race msan asan modcacherw compiler buildvcs`)

// ForList returns the flags that matter to go list.
func (f Flags) ForList() Flags {
	return f.only(func(name string) bool { return listFlags[name] })
}

// Refuse returns an error for flags that don't work in an instrumented build.
func (f Flags) Refuse() error {
	if v, ok := f.Lookup("compiler"); ok && v != "gc" {
		return fmt.Errorf("-compiler=%s: only gc can be instrumented", v)
	}
	return nil
}
