package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/hook"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/internal/wire/format"
)

var intKinds = map[types.BasicKind]format.TypeKind{
	types.Int: format.KindInt, types.Int8: format.KindInt8, types.Int16: format.KindInt16, types.Int32: format.KindInt32, types.Int64: format.KindInt64,
	types.Uint: format.KindUint, types.Uint8: format.KindUint8, types.Uint16: format.KindUint16, types.Uint32: format.KindUint32, types.Uint64: format.KindUint64,
	types.Uintptr: format.KindUintptr,
}

// ints returns the kinds of the variables in list, as package runtime takes them. ok
// says that all are integers of predeclared types and that none is to be masked.
func (w *rewriter) ints(list *ast.FieldList) (kinds uint64, ok bool) {
	n := count(list)
	// A name from a package whose names the file uses as its own may be int, too.
	if n > hook.MaxInts || w.opts.Stringers || len(syntax.DotImports(w.src.AST)) > 0 {
		return 0, false
	}
	kinds = uint64(n)
	i := 0
	for _, field := range list.List {
		basic, isBasic := types.Unalias(w.info.TypeOf(field.Type)).(*types.Basic)
		if !isBasic {
			return 0, false
		}
		kind, isInt := intKinds[basic.Kind()]
		if !isInt {
			return 0, false
		}
		for range max(len(field.Names), 1) {
			kinds |= uint64(kind) << (3 + 5*i)
			i++
		}
	}
	if slices.Contains(w.secrets(list), true) {
		return 0, false
	}
	return kinds, true
}

// words lists the variables in list as the hooks for integers take them.
func (w *rewriter) words(list *ast.FieldList, name func(int) string, kinds uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, ", %d", kinds)
	variables := w.variables(list, name)
	for i := range hook.MaxInts {
		if i < len(variables) {
			fmt.Fprintf(&b, ", %s", w.invoke(hook.Word, variables[i]))
		} else {
			b.WriteString(", 0")
		}
	}
	return b.String()
}
