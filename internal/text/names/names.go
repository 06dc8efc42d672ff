// Package names shortens the names of functions for people. Of a package's path it keeps as few
// trailing elements as tell the packages of an output apart.
//
//	example.com/m/shop/internal/cache.(*LRU[...]).Get   cache.(*LRU[...]).Get
//	example.com/m/a/store.Open                          a/store.Open, if there is b/store, too
//	example.com/m/v2.Open                               m/v2.Open
//	gopkg.in/yaml%2ev3.Unmarshal                        yaml.v3.Unmarshal
//
// Package pattern finds functions by these names.
package names

import (
	"fmt"
	"strconv"
	"strings"
)

// A Set is the packages of the functions in an output. The nil Set shortens nothing.
type Set struct {
	packages map[string]bool
	endings  map[string]int // how many of the packages have paths that end in this
}

// NewSet returns an empty Set.
func NewSet() *Set {
	return &Set{packages: make(map[string]bool), endings: make(map[string]int)}
}

// Add adds the package of a function that has the given name, as runtime.FuncForPC returns it.
func (s *Set) Add(name string) {
	if s == nil {
		return
	}
	path, _ := Split(name)
	if s.packages[path] {
		return
	}
	s.packages[path] = true
	for end := path; ; {
		s.endings[end]++
		i := strings.IndexByte(end, '/')
		if i < 0 {
			return
		}
		end = end[i+1:]
	}
}

// Short returns the short form of a function's name.
func (s *Set) Short(name string) string {
	if s == nil {
		return name
	}
	path, function := Split(name)
	if path == "" {
		return name
	}
	others := 0 // packages besides this one whose paths may have the ending
	if s.packages[path] {
		others = 1
	}
	end := path
	for i := len(path); i > 0; {
		i = strings.LastIndexByte(path[:i], '/')
		end = path[i+1:]
		if s.endings[end] <= others && !version(end) {
			break
		}
	}
	return Unescape(end) + "." + function
}

// Split takes a function's name apart: the path of its package, escaped as in symbols, and the
// rest. The path is empty if the name has none.
func Split(name string) (path, function string) {
	head := name
	if i := strings.IndexAny(head, "[("); i >= 0 {
		head = head[:i] // type arguments and receivers may hold paths of their own
	}
	slash := strings.LastIndexByte(head, '/') + 1
	dot := strings.IndexByte(head[slash:], '.')
	if dot < 0 {
		return "", name
	}
	return name[:slash+dot], name[slash+dot+1:]
}

// version reports whether an element of a path is a version, which names no package by itself.
func version(element string) bool {
	return len(element) > 1 && element[0] == 'v' && strings.Trim(element[1:], "0123456789") == ""
}

// Escape returns a package's path as symbols have it, as the compiler's objabi.PathToPrefix: dots in
// the last element, and what isn't printed, as %2e.
func Escape(path string) string {
	slash := strings.LastIndexByte(path, '/')
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if c := path[i]; c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7F {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Unescape undoes how symbols have some characters of paths: %2e is a dot.
func Unescape(path string) string {
	for at := 0; ; {
		i := strings.IndexByte(path[at:], '%')
		if i < 0 || at+i+3 > len(path) {
			return path
		}
		at += i
		if c, err := strconv.ParseUint(path[at+1:at+3], 16, 8); err == nil {
			path = path[:at] + string([]byte{byte(c)}) + path[at+3:]
		}
		at++
	}
}
