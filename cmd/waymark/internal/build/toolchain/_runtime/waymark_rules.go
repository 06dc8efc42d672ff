// Package runtime, as waymark adds to it: which traces are kept because of the HTTP request that they handle.

package runtime

import "unsafe"

// A WMRule selects traces by all of its fields that aren't zero. Least and Most are both zero, or both not.
type WMRule struct {
	Method string
	Path   string // of the URL; one that ends in * stands for all that begin so
	Least  uint32 // status of the answer
	Most   uint32
}

// selected reports whether any of the rules selects the trace.
func (t *wmTrace) selected(rules []WMRule) bool {
	for i := range rules {
		if rules[i].selects(t) {
			return true
		}
	}
	return false
}

func (r *WMRule) selects(t *wmTrace) bool {
	if r.Most > 0 && (t.answer < r.Least || t.answer > r.Most) {
		return false
	}
	if r.Method == "" && r.Path == "" {
		return true
	}
	method, path := t.within.request()
	if r.Method != "" && r.Method != method {
		return false
	}
	if n := len(r.Path) - 1; n >= 0 && r.Path[n] == '*' {
		return len(path) >= n && path[:n] == r.Path[:n]
	}
	return r.Path == "" || r.Path == path
}

// request returns the method and the path of the request, which are empty if nobody knows them.
func (s *WMSpan) request() (method, path string) {
	n, space := 0, 0
	for n < len(s.Request) && s.Request[n] != 0 {
		if s.Request[n] == ' ' && space == 0 {
			space = n
		}
		n++
	}
	text := unsafe.String(&s.Request[0], n)
	if space == 0 {
		return "", ""
	}
	return text[:space], text[space+1:]
}
