package waymark

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// hasKinds tells whether f is of one of the kinds, and if it is composed all its parts are.
func hasKinds(kinds []string, f MonitorFactory) bool {
	return !slices.ContainsFunc(parts(f), func(part MonitorFactory) bool { return !slices.Contains(kinds, KindOf(part)) })
}

// KindOf returns the kind of a factory, for policies and lists: what its method Kind returns, if it
// has one, else its type. Nobody else's factory has the kind of a ready-made one, of this module or
// of module contrib/otel.
func KindOf(f MonitorFactory) string {
	k, ok := f.(interface{ Kind() string })
	if !ok {
		return fmt.Sprintf("%T", f)
	}
	kind := k.Kind()
	base, _, _ := strings.Cut(kind, "(")
	if home, ok := readyMade[base]; ok && home != packageOf(f) {
		return fmt.Sprintf("%T", f)
	}
	return kind
}

// readyMade has the kinds of ready-made factories, with the packages of their types.
var readyMade = map[string]string{
	"Print": packagePath, "NoOp": packagePath, "Record": packagePath, "OperationTracer": packagePath,
	"Slog": packagePath, "RuntimeTrace": packagePath, "Compose": packagePath,
	"Timing": packagePath + "/timing", "OpenTelemetry": packagePath + "/contrib/otel",
}

const packagePath = "github.com/waymark-go/waymark"

// packageOf returns the import path of the package that the type of f is declared in.
func packageOf(f MonitorFactory) string {
	t := reflect.TypeOf(f)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath()
}
