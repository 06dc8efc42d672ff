package value

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/waymark-go/waymark/format"
)

// List prints values as a list of arguments, each with its name unless that is _ or
// missing: (a=1, err=<nil>). rest says that there were more.
func List(values []Value, names []string, rest bool) string {
	var b strings.Builder
	b.WriteByte('(')
	for i := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		if i < len(names) && names[i] != "_" {
			b.WriteString(names[i] + "=")
		}
		b.WriteString(values[i].String())
	}
	if rest || len(values) < len(names) {
		if len(values) > 0 {
			b.WriteString(", ")
		}
		b.WriteString("…")
	}
	b.WriteByte(')')
	return b.String()
}

// String prints the value as %+v does, see the package comment; a string is quoted.
func (v Value) String() string {
	if v.State == Known && v.Type.Kind == format.KindString {
		return strconv.Quote(v.Text) + more(v.Cut())
	}
	var p printer
	p.value(&v)
	return p.String()
}

// Panic prints the value of a panic: as String does, and with its type, as Go does, if the
// package knows no text for it.
func (v Value) Panic() string {
	t := &v.Type
	if _, ok := known(&v); ok || v.State != Known || t.Package == "" && t.Kind != format.KindPointer {
		return v.String()
	}
	switch {
	case t.Kind == format.KindStruct && len(t.Fields) > 0:
		return t.Name + v.String()
	case t.Kind == format.KindPointer && len(v.Elems) == 1 && v.Elems[0].Type.Kind == format.KindStruct:
		return "&" + v.Elems[0].Panic()
	case t.Kind == format.KindPointer:
		return "(" + t.Name + ")(" + v.String() + ")"
	case t.Kind == format.KindStruct:
		return v.String()
	}
	return t.Name + "(" + v.String() + ")"
}

// more is the mark for n that are missing.
func more(n int) string {
	switch {
	case n == 0:
		return ""
	case n < 0: // a torn length
		return "…"
	}
	return "…+" + strconv.Itoa(n)
}

type printer struct{ strings.Builder }

func (p *printer) value(v *Value) {
	switch v.State {
	case Nil:
		p.WriteString("<nil>")
		return
	case Masked:
		p.WriteString("***")
		return
	case Unread:
		p.WriteString("?")
		return
	case Text:
		p.text(v.Text)
		p.WriteString(more(v.Len - len(v.Text)))
		return
	}
	if text, ok := known(v); ok {
		p.text(text)
		return
	}
	switch k := v.Type.Kind; k {
	case format.KindBool:
		p.WriteString(strconv.FormatBool(v.Bits != 0))
	case format.KindInt, format.KindInt8, format.KindInt16, format.KindInt32, format.KindInt64:
		p.WriteString(strconv.FormatInt(int64(v.Bits), 10))
	case format.KindUint, format.KindUint8, format.KindUint16, format.KindUint32, format.KindUint64, format.KindUintptr:
		p.WriteString(strconv.FormatUint(v.Bits, 10))
	case format.KindFloat32:
		fmt.Fprint(p, math.Float32frombits(uint32(v.Bits)))
	case format.KindFloat64:
		fmt.Fprint(p, math.Float64frombits(v.Bits))
	case format.KindComplex64:
		fmt.Fprint(p, complex(math.Float32frombits(uint32(v.Bits)), math.Float32frombits(uint32(v.Imag))))
	case format.KindComplex128:
		fmt.Fprint(p, complex(math.Float64frombits(v.Bits), math.Float64frombits(v.Imag)))
	case format.KindString:
		p.text(v.Text)
		p.WriteString(more(v.Cut()))
	case format.KindStruct:
		p.structure(v)
	case format.KindSlice, format.KindArray:
		p.elements(v)
	case format.KindPointer:
		p.pointer(v)
	case format.KindMap:
		p.WriteString("map[" + more(v.Len) + "]")
	case format.KindUnsafePointer:
		p.address(v.Bits)
	case format.KindChan:
		if v.IsNil {
			p.WriteString("<nil>")
		} else {
			fmt.Fprintf(p, "%s(len=%d cap=%d)", v.Type.Name, v.Len, v.Cap)
		}
	case format.KindFunc:
		if v.IsNil {
			p.WriteString("<nil>")
		} else {
			p.WriteString(v.Text)
		}
	}
}

// text prints a string within a value: as it is, unless that would break the line.
func (p *printer) text(s string) {
	for _, r := range s {
		if r < ' ' || r == 0x7F || r == utf8.RuneError {
			p.WriteString(strconv.Quote(s))
			return
		}
	}
	p.WriteString(s)
}

func (p *printer) structure(v *Value) {
	if v.dynamic && len(v.Type.Fields) == 0 && v.Type.Package != "" {
		p.WriteString(v.Type.Name) // all that is known of it
	}
	p.WriteByte('{')
	for i := range v.Elems {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.WriteString(v.Type.Fields[i].Name + ":")
		p.value(&v.Elems[i])
	}
	if v.Cut() > 0 {
		if len(v.Elems) > 0 {
			p.WriteByte(' ')
		}
		p.WriteString("…")
	}
	p.WriteByte('}')
}

func (p *printer) elements(v *Value) {
	p.WriteByte('[')
	n := 0
	separate := func() {
		if n > 0 {
			p.WriteByte(' ')
		}
		n++
	}
	for i := range v.Elems {
		separate()
		p.value(&v.Elems[i])
	}
	for _, b := range v.Bytes {
		separate()
		p.WriteString(strconv.Itoa(int(b)))
	}
	if cut := v.Cut(); cut != 0 {
		separate()
		p.WriteString(more(cut))
	}
	p.WriteByte(']')
}

func (p *printer) pointer(v *Value) {
	if len(v.Elems) == 0 {
		p.address(v.Bits)
		return
	}
	p.WriteByte('&')
	p.value(&v.Elems[0])
}

func (p *printer) address(a uint64) {
	if a == 0 {
		p.WriteString("<nil>")
	} else {
		p.WriteString("0x" + strconv.FormatUint(a, 16))
	}
}
