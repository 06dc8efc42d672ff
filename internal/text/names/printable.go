package names

import (
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns a name or a path of somebody else's as it may be printed. What a terminal might
// obey, what ends a line and what isn't seen is escaped as in Go source.
func Printable(s string) string { return printable(s, "") }

// PrintableLines is Printable for a text whose lines and tabs are meant.
func PrintableLines(s string) string { return printable(s, "\n\t") }

func printable(s, keep string) string {
	ok := func(r rune, size int) bool {
		return unicode.IsPrint(r) && (r != utf8.RuneError || size > 1) || strings.ContainsRune(keep, r)
	}
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if !ok(r, size) {
			break
		}
		at += size
	}
	if at == len(s) {
		return s
	}
	b := []byte(s[:at])
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if ok(r, size) {
			b = append(b, s[at:at+size]...)
		} else {
			quoted := strconv.Quote(s[at : at+size])
			b = append(b, quoted[1:len(quoted)-1]...)
		}
		at += size
	}
	return string(b)
}

// MakePrintable makes all texts printable that p leads to, a pointer to data that was decoded.
// It leaves bytes as they are, and the lines of fields with the tag text:"lines".
func MakePrintable(p any) { makePrintable(reflect.ValueOf(p)) }

func makePrintable(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); Printable(s) != s {
			v.SetString(Printable(s))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			makePrintable(v.Elem())
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			switch f := v.Type().Field(i); {
			case f.Tag.Get("text") == "lines":
				v.Field(i).SetString(PrintableLines(v.Field(i).String()))
			case f.IsExported():
				makePrintable(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k > reflect.Complex128 { // no numbers
			for i := 0; i < v.Len(); i++ {
				makePrintable(v.Index(i))
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			k, e := reflect.New(key.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
			k.Set(key)
			e.Set(v.MapIndex(key))
			makePrintable(k)
			makePrintable(e)
			v.SetMapIndex(key, reflect.Value{})
			v.SetMapIndex(k, e)
		}
	}
}

// Frame returns a name as a frame of folded stacks, whose frames end at semicolons and whose stacks end
// with their lines.
func Frame(name string) string { return frames.Replace(name) }

var frames = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")
