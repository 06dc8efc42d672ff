package switchboard

import (
	"fmt"
	"reflect"
	"strings"
)

// An ObserverKind is what KindOf returns, for programs. Package waymark documents it.
type ObserverKind string

// KindOf returns the kind of an observer or of a factory of monitors, for policies and lists. The
// kind is what its method Kind returns, if it has one, else its type. No observer of anybody else
// has the kind of a ready-made one, of this module.
func KindOf(v any) string {
	k, ok := v.(interface{ Kind() string })
	if !ok {
		return fmt.Sprintf("%T", v)
	}
	kind := k.Kind()
	base, _, _ := strings.Cut(kind, "(")
	if homes, ok := readyMade[base]; ok && !strings.Contains(homes, " "+packageOf(v)+" ") {
		return fmt.Sprintf("%T", v)
	}
	return kind
}

const (
	library  = "github.com/waymark-go/waymark"
	monitors = " " + library + "/monitor "
)

// readyMade has the kinds of ready-made ones, with the packages of their types.
var readyMade = map[string]string{
	"Print": monitors + library + "/internal/program/printer ", "NoOp": monitors, "Record": monitors, "OperationTracer": monitors,
	"Slog": monitors, "RuntimeTrace": monitors, "Compose": monitors,
	"Timing": " " + library + "/timing ",
}

// packageOf returns the import path of the package that the type of v is declared in.
func packageOf(v any) string {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath()
}
