// Package wmrt stands in for package runtime in the tests of the rewriter. It
// prints each call to standard error, one line for the entry and one for the
// exit, indented by depth, and checks what it is told:
//
//   - an exit belongs to the innermost call of its goroutine, or to one from
//     which a panic has unwound the stack (the calls that are gone are printed
//     with an exclamation mark);
//   - the site's name and line are those that the Go runtime has for the
//     function that reports them.
package wmrt

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

type (
	WMSite  uint32
	WMFrame uint64
)

// Table holds a line "name:line" for each site.
type WMPackage struct {
	Sites []WMSite
	Table string
}

var (
	mu     sync.Mutex
	sites  = []string{""} // by site
	stacks = make(map[string][]call)
	frames WMFrame
)

type call struct {
	frame WMFrame
	name  string
}

func WMRegister(p *WMPackage) bool {
	mu.Lock()
	defer mu.Unlock()
	for i, line := range strings.Split(p.Table, "\n") {
		if i == len(p.Sites) {
			break // the rest is about functions with directives
		}
		p.Sites[i] = WMSite(len(sites))
		sites = append(sites, line)
	}
	return true
}

// WMLight says that more is wanted of all calls.
func WMLight(WMSite) bool { return false }

// WMDone is for no call.
func WMDone(WMSite) bool { return false }

// WMValued says that values are wanted.
func WMValued(WMSite) bool { return true }

// A Group stands in for the library's.
type Group struct{ name string }

func NewGroup(name string, subgroups ...*Group) *Group { return &Group{name} }

// WMBind prints what groups functions are in.
func WMBind(p *WMPackage, groups ...any) bool {
	for _, g := range groups {
		fmt.Fprintln(os.Stderr, "group", g.(*Group).name)
	}
	return true
}

// WMInfo prints the call of an info function.
func WMInfo(s WMSite, args ...any) {
	mu.Lock()
	defer mu.Unlock()
	name, _, _ := strings.Cut(sites[s], ":")
	print(goroutine(), ". ", name+values(args))
}

// WMMasked stands for a value that must not be recorded.
type WMMasked struct{}

func WMEnter(s WMSite) WMFrame { return enter(s, "") }

// WMBegins says that calls begin traces.
func WMBegins(WMFrame) bool { return true }

// WMWithin prints what may name the span that a call is in.
func WMWithin(_ WMFrame, args ...any) {
	var types []string
	for _, arg := range args {
		types = append(types, fmt.Sprintf("%T", arg))
	}
	fmt.Fprintln(os.Stderr, "within", strings.Join(types, ", "))
}

func WMEnterArgs(s WMSite, args ...any) WMFrame { return enter(s, values(args)) }

// WMWord is how integers are passed.
type WMWord = uint64

func WMEnterInts(s WMSite, kinds, a, b, c, d WMWord) WMFrame {
	return enter(s, values(ints(kinds, a, b, c, d)))
}

func WMExitInts(f WMFrame, kinds, a, b, c, d WMWord) {
	exit(f, " = "+values(ints(kinds, a, b, c, d)))
}

// ints gives the integers that words are, by kinds: how many, then the kind of each.
func ints(kinds uint64, words ...uint64) []any {
	var list []any
	for i := range words[:kinds&7] {
		if kind := reflect.Kind(kinds >> (3 + 5*i) & 31); kind <= reflect.Int64 {
			list = append(list, int64(words[i]))
		} else {
			list = append(list, words[i])
		}
	}
	return list
}

func enter(s WMSite, args string) WMFrame {
	mu.Lock()
	defer mu.Unlock()
	name, line, _ := strings.Cut(sites[s], ":")
	check(name, line)
	frames++
	g := goroutine()
	print(g, "> ", name+args)
	stacks[g] = append(stacks[g], call{frames, name})
	return frames
}

func WMExit(f WMFrame) { exit(f, "") }

// WMExitError says with which error the call ends.
func WMExitError(f WMFrame, err error) {
	if err != nil {
		exit(f, " fails")
		return
	}
	exit(f, "")
}

// WMExitDeferredError gets a pointer to the result.
func WMExitDeferredError(f WMFrame, err *error) { WMExitError(f, *err) }

// WMError says that the call is about to end with an error.
func WMError(f WMFrame, err error) {
	if err != nil {
		mu.Lock()
		defer mu.Unlock()
		g := goroutine()
		print(g, "error of ", stacks[g][len(stacks[g])-1].name)
	}
}

func WMExitResults(f WMFrame, results ...any) { exit(f, " = "+values(results)) }

// WMExitDeferred gets pointers to the results: they aren't there when it is deferred.
func WMExitDeferred(f WMFrame, results ...any) {
	for i, p := range results {
		if v := reflect.ValueOf(p); v.Kind() == reflect.Pointer {
			results[i] = v.Elem().Interface()
		}
	}
	exit(f, " = "+values(results))
}

func exit(f WMFrame, results string) {
	mu.Lock()
	defer mu.Unlock()
	g := goroutine()
	for n := len(stacks[g]) - 1; n >= 0; n-- {
		top := stacks[g][n]
		stacks[g] = stacks[g][:n]
		if top.frame == f {
			print(g, "< ", top.name+results)
			return
		}
		print(g, "! ", top.name)
	}
	print(g, "exit of a call that is gone", "")
}

func values(list []any) string {
	var texts []string
	for _, v := range list {
		text := fmt.Sprintf("%+v", v)
		if v == (WMMasked{}) {
			text = "***"
		} else if v != nil && reflect.TypeOf(v).Kind() == reflect.Func {
			text = "func"
		}
		texts = append(texts, text)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

func print(g, what, name string) {
	fmt.Fprintf(os.Stderr, "%s%s%s\n", strings.Repeat("  ", len(stacks[g])), what, name)
}

// check compares a site with its function. The caller of WMEnter is three up.
func check(name, line string) {
	pc, _, _, _ := runtime.Caller(3)
	fn := runtime.FuncForPC(pc)
	_, first := fn.FileLine(fn.Entry())
	if fn.Name() != name || strconv.Itoa(first) != line {
		fmt.Fprintf(os.Stderr, "site %s:%s is in function %s:%d\n", name, line, fn.Name(), first)
	}
}

// goroutine returns the header of the goroutine's stack trace as an identity.
func goroutine() string {
	buf := make([]byte, 64)
	buf = buf[:runtime.Stack(buf, false)]
	head, _, _ := bytes.Cut(buf, []byte(" ["))
	return string(head)
}
