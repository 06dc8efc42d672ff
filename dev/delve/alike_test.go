package delve

import (
	"math"
	"math/cmplx"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// A reading takes the text of a value apart as Delve's variable says that it should be.
type reading struct {
	rest string
	said []string // what waymark says that it doesn't show
}

// parts of the texts of values.
var (
	address       = regexp.MustCompile(`^(\([^()]*(\([^()]*\)[^()]*)*\)\()?0x[0-9a-f]+\)?`)
	missing       = regexp.MustCompile(`^ ?…(\+[0-9]+)?`)
	number        = regexp.MustCompile(`^[-+0-9.a-zA-Z]+`)
	complexNumber = regexp.MustCompile(`^\([-+0-9.a-zA-Z]+i\)`)
	channel       = regexp.MustCompile(`^(.*?)\(len=([0-9]+) cap=([0-9]+)\)`)
	quoted        = regexp.MustCompile(`^"(\\.|[^"\\])*"`)
)

// take takes a text from the beginning.
func (r *reading) take(text string) bool {
	rest, ok := strings.CutPrefix(r.rest, text)
	if ok {
		r.rest = rest
	}
	return ok
}

// match takes what an expression matches at the beginning.
func (r *reading) match(e *regexp.Regexp) []string {
	found := e.FindStringSubmatch(r.rest)
	if found != nil {
		r.rest = r.rest[len(found[0]):]
	}
	return found
}

// say notes a text by which waymark says that it doesn't show something.
func (r *reading) say(what string) bool {
	r.said = append(r.said, what)
	return true
}

// value takes a value. outer: it isn't a part of another one.
func (r *reading) value(v *variable, outer bool) bool {
	switch {
	case r.take("***"):
		return r.say("masked")
	case v.Kind == reflect.Interface && r.take("?"):
		return r.say("unknown")
	case v.Kind != reflect.Interface && r.take("?"):
		return r.say("unread")
	}
	switch v.Kind {
	case reflect.Bool:
		return r.take(plain(v.Value))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		found := r.match(number)
		return found != nil && (found[0] == plain(v.Value) || v.Type == "uintptr" && len(found[0]) > 10 && len(v.Value) > 10) // an address
	case reflect.Float32, reflect.Float64:
		found := r.match(number)
		return found != nil && float(found[0]) == float(plain(v.Value)) || math.IsNaN(float(found[0])) && v.Value == "NaN"
	case reflect.Complex64, reflect.Complex128:
		found := r.match(complexNumber)
		if found == nil || len(v.Children) != 2 {
			return false
		}
		c, err := strconv.ParseComplex(found[0], 128)
		want := complex(float(v.Children[0].Value), float(v.Children[1].Value))
		return err == nil && (c == want || cmplx.Abs(c-want) <= 1e-6*cmplx.Abs(want))
	case reflect.String:
		return r.text(v, outer)
	case reflect.Struct:
		return r.structure(v)
	case reflect.Array, reflect.Slice:
		return r.elements(v)
	case reflect.Map:
		return r.entries(v)
	case reflect.Pointer:
		return r.pointer(v)
	case reflect.Interface:
		return r.dynamic(v)
	case reflect.Chan:
		return r.channel(v)
	case reflect.Func:
		if v.Value == "" {
			return r.take("<nil>")
		}
		return r.take(v.Value)
	case reflect.UnsafePointer:
		if len(v.Children) == 0 || v.Children[0].Addr == 0 {
			return r.take("<nil>")
		}
		return r.match(address) != nil
	}
	return false
}

// plain returns a value without the name of its constant.
func plain(value string) string {
	if i := strings.LastIndexByte(value, '('); i > 0 && strings.HasSuffix(value, ")") {
		return value[i+1 : len(value)-1]
	}
	return value
}

func float(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// text takes a string.
func (r *reading) text(v *variable, outer bool) bool {
	text := v.Value
	if v.Bytes != nil {
		text = string(v.Bytes)
	}
	if !outer && r.take(text) {
		return true
	}
	rest := r.rest
	if found := r.match(quoted); found != nil {
		shown, err := strconv.Unquote(found[0])
		if err == nil && shown == text {
			return true
		}
		if cut := r.match(missing); err == nil && cut != nil {
			return strings.HasPrefix(text, shown) && len(shown)+more(cut) == len(text) && r.say("cut")
		}
		r.rest = rest
	}
	for n := range len(text) { // a cut one without quotes
		if cut := missing.FindStringSubmatch(strings.TrimPrefix(r.rest, text[:n])); cut != nil && strings.HasPrefix(r.rest, text[:n]) && n+more(cut) == len(text) {
			r.rest = r.rest[n+len(cut[0]):]
			return r.say("cut")
		}
	}
	return false
}

// cut takes the mark that a number of the last elements is missing, and what ends the list.
func (r *reading) cut(end string, number int) bool {
	tried := *r
	found := tried.match(missing)
	if found == nil || more(found) != number || !tried.take(end) {
		return false
	}
	*r = tried
	return r.say("cut")
}

// more returns how much a mark says that is missing.
func more(found []string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(found[1], "+"))
	return n
}

func (r *reading) structure(v *variable) bool {
	if v.Type == "time.Time" && !strings.HasPrefix(r.rest, "{") {
		return r.time(v)
	}
	if v.Len == 0 {
		r.take(v.Type)
	}
	if !r.take("{") {
		return false
	}
	for i := range v.Children {
		if cut := r.match(missing); cut != nil {
			return r.take("}") && r.say("deep")
		}
		f := &v.Children[i]
		name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
		if i > 0 && !r.take(" ") || !r.take(name+":") || !r.value(f, false) {
			return false
		}
	}
	if len(v.Children) < v.Len { // deeper than Delve was asked to go
		return r.skip('}')
	}
	return r.take("}")
}

// skip takes all up to the end of a value that Delve doesn't show whole.
func (r *reading) skip(end byte) bool {
	depth := 0
	for i := 0; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == end && depth == 0:
			r.rest = r.rest[i+1:]
			return r.say("deeper than Delve")
		case c == '{' || c == '[' || c == '(':
			depth++
		case c == '}' || c == ']' || c == ')':
			depth--
		}
	}
	return false
}

// time takes a time, which both print in words: Delve without parts of seconds.
func (r *reading) time(v *variable) bool {
	day, _, _ := strings.Cut(v.Value, "T")
	for i := range len(r.rest) {
		if i > 0 && strings.HasPrefix(r.rest[i:], ", ") || i == len(r.rest)-1 {
			shown := r.rest[:i]
			r.rest = r.rest[i:]
			return v.Value != "" && strings.HasPrefix(shown, day) || v.Value == "" && r.say("time")
		}
	}
	return false
}

func (r *reading) elements(v *variable) bool {
	if found := r.match(quoted); found != nil { // bytes that are text
		text, err := strconv.Unquote(found[0])
		cut := r.match(missing)
		if err != nil || cut == nil && len(text) != v.Len || cut != nil && len(text)+more(cut) != v.Len {
			return false
		}
		for i := range text {
			if i < len(v.Children) && plain(v.Children[i].Value) != strconv.Itoa(int(text[i])) && text[i] < 0x80 {
				return false
			}
		}
		return cut == nil || r.say("cut")
	}
	if !r.take("[") {
		return false
	}
	for i := range v.Children {
		if r.cut("]", v.Len-i) {
			return true
		}
		if i > 0 && !r.take(" ") || !r.value(&v.Children[i], false) {
			return false
		}
	}
	if len(v.Children) < v.Len {
		return r.skip(']')
	}
	return r.take("]")
}

func (r *reading) entries(v *variable) bool {
	if v.Base == 0 {
		return r.take("map[]") || r.take("<nil>")
	}
	if !r.take("map[") {
		return false
	}
	left := make(map[int]bool)
	for i := 0; i+1 < len(v.Children); i += 2 {
		left[i] = true
	}
	for n := 0; ; n++ {
		if r.take("]") {
			return n == v.Len
		}
		if r.cut("]", v.Len-n) {
			return true
		}
		if n > 0 && !r.take(" ") || !r.entry(v, left) {
			if len(v.Children) < 2*v.Len {
				return r.skip(']')
			}
			return false
		}
	}
}

// entry takes an entry of a map, one of those that are left.
func (r *reading) entry(v *variable, left map[int]bool) bool {
	for i := range left {
		tried := *r
		if tried.value(&v.Children[i], false) && tried.take(":") && tried.value(&v.Children[i+1], false) {
			*r = tried
			delete(left, i)
			return true
		}
	}
	return false
}

func (r *reading) pointer(v *variable) bool {
	if len(v.Children) == 0 || v.Children[0].Addr == 0 {
		return r.take("<nil>")
	}
	to := &v.Children[0]
	if r.match(address) != nil {
		if to.Unreadable != "" || to.OnlyAddr {
			return true
		}
		return r.say("address")
	}
	if to.Type == "errors.errorString" && len(to.Children) == 1 && !strings.HasPrefix(r.rest, "&") { // by what it prints
		return r.value(&to.Children[0], false)
	}
	if !r.take("&") {
		return false
	}
	if to.OnlyAddr { // deeper than Delve was asked to go
		return r.say("deeper than Delve")
	}
	return r.value(to, false)
}

func (r *reading) dynamic(v *variable) bool {
	if len(v.Children) == 0 || v.Children[0].Kind == reflect.Invalid {
		return r.take("<nil>")
	}
	return r.value(&v.Children[0], false)
}

func (r *reading) channel(v *variable) bool {
	if v.Base == 0 {
		return r.take("<nil>")
	}
	found := r.match(channel)
	return found != nil && len(v.Children) >= 2 && found[2] == v.Children[0].Value && found[3] == v.Children[1].Value
}
