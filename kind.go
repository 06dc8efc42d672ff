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

// KindOf gives the kind of a factory, for policies and lists: what its method Kind gives, if it has one, else its
// type. Nobody else's factory has the kind of one of this package's or of package timing's.
func KindOf(f MonitorFactory) string {
	k, ok := f.(interface{ Kind() string })
	if !ok {
		return fmt.Sprintf("%T", f)
	}
	kind := k.Kind()
	switch f.(type) {
	case *printer, noOp, recording, *OperationTracer, *slogFactory, *regions, *compose:
		return kind
	}
	if of := reflect.TypeOf(f); of.PkgPath() == timingPath {
		return kind
	}
	if base, _, _ := strings.Cut(kind, "("); slices.Contains(ownKinds, base) {
		return fmt.Sprintf("%T", f)
	}
	return kind
}

// ownKinds are the kinds of this package's factories, and of package timing's.
var ownKinds = []string{"Print", "NoOp", "Record", "OperationTracer", "Slog", "RuntimeTrace", "Compose", "Timing"}

const timingPath = "github.com/waymark-go/waymark/timing"
