package value

import (
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// known returns the text that the method Error or String of a type of the standard library would
// return, made out of the value's fields. It is not ok for other types, and where a necessary field
// was not recorded. Of pointers into package testing known returns the type.
func known(v *Value) (text string, ok bool) {
	outer, t := v, &v.Type
	if t.Kind == reflect.Pointer && len(v.Elems) == 1 && v.Elems[0].State == Known {
		v, t = &v.Elems[0], &v.Elems[0].Type
	}
	_, base, _ := strings.Cut(t.Name, ".")
	switch t.Package {
	case "testing", "context":
		switch base {
		case "backgroundCtx":
			return "context.Background", true
		case "todoCtx":
			return "context.TODO", true
		case "deadlineExceededError":
			return "context deadline exceeded", true
		}
		// The other types hold little but locks.
		if v != outer && t.Kind == reflect.Struct {
			return outer.Type.Name, true
		}
	case "time":
		switch base {
		case "Time":
			return v.time()
		case "Duration":
			return time.Duration(v.Bits).String(), true
		case "Month":
			return time.Month(v.Bits).String(), true
		case "Weekday":
			return time.Weekday(v.Bits).String(), true
		}
	case "syscall":
		if base == "Errno" {
			return syscall.Errno(v.Bits).Error(), true
		}
	case "errors":
		switch base {
		case "errorString":
			return v.field("s")
		case "joinError":
			return v.errors("errs")
		}
	case "fmt":
		switch base {
		case "wrapError", "wrapErrors":
			return v.field("msg")
		}
	case "io/fs":
		if base == "PathError" {
			return v.join("", "Op", " ", "Path", ": ", "Err")
		}
	case "os":
		switch base {
		case "SyscallError":
			return v.join("", "Syscall", ": ", "Err")
		case "LinkError":
			return v.join("", "Op", " ", "Old", " ", "New", ": ", "Err")
		}
	case "os/exec":
		if base == "Error" {
			name, ok := v.field("Name")
			tail, ok1 := v.join(": ", "Err")
			return "exec: " + strconv.Quote(name) + tail, ok && ok1
		}
	case "strconv":
		if base == "NumError" {
			num, ok := v.field("Num")
			if !ok {
				return "", false
			}
			head, ok1 := v.join("strconv.", "Func", ": parsing ")
			tail, ok2 := v.join(": ", "Err")
			return head + strconv.Quote(num) + tail, ok1 && ok2
		}
	}
	return "", false
}

// field returns a field's text, if all of the text was recorded.
func (v *Value) field(name string) (string, bool) {
	if v.Type.Kind == reflect.Struct {
		for i := range v.Elems {
			if v.Type.Fields[i].Name == name {
				return whole(&v.Elems[i])
			}
		}
	}
	return "", false
}

// whole returns the text of a value that has one, if all of the text was recorded.
func whole(v *Value) (string, bool) {
	if v.State == Known && v.Type.Kind == reflect.String && v.Cut() == 0 {
		return v.Text, true
	}
	if v.State == Text {
		return v.Text, v.Len == len(v.Text)
	}
	if v.State != Known {
		return "", false
	}
	return known(v)
}

// join joins parts: by turns a text, and the name of a field whose text is meant.
func (v *Value) join(parts ...string) (string, bool) {
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		text, ok := v.field(part)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// time returns the text of a time.Time in UTC. The fields do not hold the offset of the time's own
// location.
func (v *Value) time() (string, bool) {
	const (
		hasMonotonic = 1 << 63 // then wall holds seconds since 1885
		nanoseconds  = 1<<30 - 1
	)
	year := func(y int) int64 { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC).Unix() }
	if v.Type.Kind != reflect.Struct || len(v.Elems) < 2 {
		return "", false
	}
	wall, sec := v.Elems[0].Bits, year(1)+int64(v.Elems[1].Bits)
	if wall&hasMonotonic != 0 {
		sec = year(1885) + int64(wall<<1>>31)
	}
	return time.Unix(sec, int64(wall&nanoseconds)).UTC().String(), true
}

// errors returns the texts of a field that is a slice of errors, a line for each error.
func (v *Value) errors(name string) (string, bool) {
	var lines []string
	if v.Type.Kind == reflect.Struct {
		for i := range v.Elems {
			if list := &v.Elems[i]; v.Type.Fields[i].Name == name && list.Cut() == 0 {
				for j := range list.Elems {
					line, ok := whole(&list.Elems[j])
					if !ok {
						return "", false
					}
					lines = append(lines, line)
				}
			}
		}
	}
	return strings.Join(lines, "\n"), len(lines) > 0
}
