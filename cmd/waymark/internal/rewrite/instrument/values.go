package instrument

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/hook"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// count returns the number of variables that a list of parameters or results stands for.
func count(list *ast.FieldList) int {
	if list == nil {
		return 0
	}
	return list.NumFields()
}

// valueNames lists the names in list as the user gave them, _ for those without.
func valueNames(list *ast.FieldList) []string {
	var names []string
	for _, field := range list.List {
		if len(field.Names) == 0 {
			names = append(names, "_")
		}
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// valueTypes lists the types of the values in list for conditions: those that are predeclared, and
// slices of such; of others an empty text. It returns nil if all are empty.
func valueTypes(list *ast.FieldList) (texts []string) {
	known := false
	for _, field := range list.List {
		elem := field.Type
		switch t := elem.(type) {
		case *ast.Ellipsis:
			elem = t.Elt
		case *ast.ArrayType:
			if t.Len == nil {
				elem = t.Elt
			}
		}
		text := ""
		if id, ok := elem.(*ast.Ident); ok && types.Universe.Lookup(id.Name) != nil {
			text, known = types.ExprString(field.Type), true
		}
		for range max(len(field.Names), 1) {
			texts = append(texts, text)
		}
	}
	if !known {
		return nil
	}
	return texts
}

// nameArgs names the receiver and each parameter that has no name.
func (w *rewriter) nameArgs(f *Func) {
	if f.Decl != nil && f.Decl.Recv != nil {
		w.nameFields(f.Decl.Recv, w.arg)
	}
	w.nameFields(f.Type.Params, w.parameter(f))
}

// parameter returns the function that names a parameter without a name, by its index: the receiver's
// name comes before it.
func (w *rewriter) parameter(f *Func) func(int) string {
	receivers := 0
	if f.Decl != nil {
		receivers = count(f.Decl.Recv)
	}
	return func(i int) string { return w.arg(receivers + i) }
}

// nameFields names each parameter or result that has no name or a blank one.
func (w *rewriter) nameFields(list *ast.FieldList, name func(int) string) {
	if list == nil {
		return
	}
	if !list.Opening.IsValid() {
		typ := list.List[0].Type
		w.buf.Insert(w.src.Offset(typ.Pos()), "("+name(0)+" ")
		w.buf.Insert(w.src.Offset(typ.End()), ")")
		return
	}
	i := 0
	for _, field := range list.List {
		if len(field.Names) == 0 {
			w.buf.Insert(w.src.Offset(field.Type.Pos()), name(i)+" ")
			i++
		}
		for _, id := range field.Names {
			if id.Name == "_" {
				w.buf.Replace(w.src.Offset(id.Pos()), w.src.Offset(id.End()), name(i))
			}
			i++
		}
	}
}

// variables lists the names of the variables in list once all have one.
func (w *rewriter) variables(list *ast.FieldList, name func(int) string) []string {
	names := valueNames(list)
	for i := range names {
		if names[i] == "_" {
			names[i] = name(i)
		}
	}
	return names
}

// values lists the variables in list as further arguments, each behind the given
// operator. What looks like a secret is masked.
func (w *rewriter) values(list *ast.FieldList, name func(int) string, operator string) string {
	var b strings.Builder
	secret := w.secrets(list)
	for i, variable := range w.variables(list, name) {
		if secret[i] {
			b.WriteString(", " + w.hook(hook.Masked) + "{}")
		} else {
			b.WriteString(", " + operator + variable)
		}
	}
	return b.String()
}

// secrets reports which of the variables in list look like secrets. It goes by their names or,
// where they have none, by the name of the function: ReadPassword returns a secret. Bytes that are
// called a key are a secret if the function's file imports packages of cryptography.
func (w *rewriter) secrets(list *ast.FieldList) (secret []bool) {
	for _, field := range list.List {
		t := w.info.TypeOf(field.Type)
		names := field.Names
		if len(names) == 0 {
			names = []*ast.Ident{{Name: "_"}}
		}
		for _, id := range names {
			name, may := id.Name, true
			if name == "_" {
				name, may = w.owner, mayBeSecret(t)
			}
			secret = append(secret, may && format.LooksSecret(name, w.opts.Redact) || w.isKey(name, t))
		}
	}
	return secret
}

// isKey reports whether a variable of type t has the bytes of a key that its name doesn't call public.
func (w *rewriter) isKey(name string, t types.Type) bool {
	return len(w.opts.Redact) > 0 && isBytes(t) && w.cryptic() && format.LooksSecret(name, []string{"key"}) && !format.LooksSecret(name, public)
}

// public are words in the names of keys that are no secrets.
var public = []string{"public", "pub", "peer"}

// mayBeSecret reports whether values of type t may be secrets. Errors, numbers and truth values say
// how a function went that deals with secrets.
func mayBeSecret(t types.Type) bool {
	if t == nil {
		return true
	}
	if types.Identical(t, types.Universe.Lookup("error").Type()) {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return !ok || basic.Info()&(types.IsNumeric|types.IsBoolean) == 0
}

// isBytes reports whether t is a slice or an array of bytes.
func isBytes(t types.Type) bool {
	if t == nil {
		return false
	}
	var elem types.Type
	switch t := t.Underlying().(type) {
	case *types.Slice:
		elem = t.Elem()
	case *types.Array:
		elem = t.Elem()
	default:
		return false
	}
	basic, ok := elem.Underlying().(*types.Basic)
	return ok && basic.Kind() == types.Uint8
}

// cryptic reports whether the file imports packages of cryptography.
func (w *rewriter) cryptic() bool {
	for _, spec := range w.src.AST.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && slices.Contains(strings.Split(path, "/"), "crypto") {
			return true
		}
	}
	return false
}
