package traces

import (
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/value"
)

// Of what a function gets, a row has the strings and numbers that the function can name.
func TestInside(t *testing.T) {
	text := func(s string) value.Value {
		return value.Value{Type: value.Type{Kind: reflect.String, Name: "string"}, Text: s, Len: len(s)}
	}
	pointer := func(to value.Value) value.Value {
		return value.Value{Type: value.Type{Kind: reflect.Pointer}, Bits: 1, Elems: []value.Value{to}}
	}
	structure := func(pkg string, names []string, fields ...value.Value) value.Value {
		v := value.Value{Type: value.Type{Kind: reflect.Struct, Package: pkg}, Elems: fields}
		for _, name := range names {
			v.Type.Fields = append(v.Type.Fields, value.Field{Name: name})
		}
		return v
	}
	number := value.Value{Type: value.Type{Kind: reflect.Int, Name: "int"}, Bits: 7}
	url := pointer(structure("net/url", []string{"Path", "User", "raw"}, text("/quote"), pointer(structure("net/url", nil)), text("hidden")))
	request := pointer(structure("net/http", []string{"Method", "URL", "Body"}, text("GET"), url, value.Value{State: value.Nil}))
	for _, tt := range []struct {
		v    value.Value
		want string
	}{
		{request, `{Method:"GET" URL:{Path:"/quote"}}`},
		{structure("main", []string{"n", "zero"}, number, value.Value{Type: number.Type}), "{n:7}"},
		{pointer(structure("net/http", []string{"conn"}, text("x"))), ""},
		{value.Value{State: value.Masked}, ""},
	} {
		if got := inside(&tt.v, "main"); got != tt.want {
			t.Errorf("inside %v: %s, want %s", tt.v, got, tt.want)
		}
	}
	if got := cut("äöüß", 3); got != "äö…" {
		t.Errorf("cut: %s", got)
	}
}
