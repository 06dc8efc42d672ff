package funcname

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// A Symbol is the name of a declared function, in parts.
type Symbol struct {
	Recv, Base  string
	pointer     bool // the receiver is a pointer
	genericRecv bool // the receiver has type parameters
	generic     bool // the function itself has type parameters
	ordinal     int  // among the init functions; -1 if it is none
}

// String returns the name as the linker has it after the package's path. All
// instances of a generic function go by one name.
func (s Symbol) String() string {
	const params = "[...]"
	base := s.Base
	if s.ordinal >= 0 {
		base += "." + strconv.Itoa(s.ordinal)
	}
	if s.generic {
		base += params
	}
	if s.Recv == "" {
		return base
	}
	recv := s.Recv
	if s.genericRecv {
		recv += params
	}
	if s.pointer {
		recv = "(*" + recv + ")"
	}
	return recv + "." + base
}

// nameFuncs names the declared functions of a build. They are all needed to number those called
// init.
func nameFuncs(t *syntax.Tree) map[*ast.FuncDecl]Symbol {
	symbols := make(map[*ast.FuncDecl]Symbol)
	inits := 0
	for _, fn := range t.Funcs() {
		s := typed(t.Info, fn)
		if fn.Recv == nil && s.Base == "init" {
			s.ordinal = inits
			inits++
		}
		symbols[fn] = s
	}
	return symbols
}

// written returns the symbol of a function as far as its declaration says it.
func written(fn *ast.FuncDecl) Symbol {
	s := Symbol{Base: fn.Name.Name, ordinal: -1, generic: fn.Type.TypeParams != nil}
	if fn.Recv != nil && len(fn.Recv.List) > 0 {
		s.Recv, s.pointer, s.genericRecv = receiver(fn.Recv.List[0].Type)
	}
	return s
}

// typed returns the symbol of a function, whose receiver may be written with an alias.
func typed(info *types.Info, fn *ast.FuncDecl) Symbol {
	s := written(fn)
	if s.Recv == "" {
		return s
	}
	if m, ok := info.Defs[fn.Name].(*types.Func); ok {
		typ := types.Unalias(m.Signature().Recv().Type())
		if p, ok := typ.(*types.Pointer); ok {
			s.pointer = true
			typ = types.Unalias(p.Elem())
		}
		if named, ok := typ.(*types.Named); ok {
			s.Recv = named.Obj().Name()
			s.genericRecv = named.TypeParams() != nil
		}
	}
	return s
}

// receiver takes a receiver's type apart.
func receiver(expr ast.Expr) (name string, pointer, generic bool) {
	for {
		switch e := expr.(type) {
		case *ast.ParenExpr:
			expr = e.X
		case *ast.StarExpr:
			pointer = true
			expr = e.X
		case *ast.IndexExpr:
			generic = true
			expr = e.X
		case *ast.IndexListExpr:
			generic = true
			expr = e.X
		case *ast.Ident:
			return e.Name, pointer, generic
		default:
			return "?", pointer, generic
		}
	}
}

// Prefix returns the package's path as it appears in symbol names, with
// the dot behind it. The escapes are those of cmd/internal/objabi.
func Prefix(u *syntax.Unit) string {
	if u.Main {
		return "main."
	}
	const hex = "0123456789abcdef"
	slash := strings.LastIndexByte(u.ImportPath, '/')
	var b strings.Builder
	for i := range len(u.ImportPath) {
		c := u.ImportPath[i]
		if c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7f {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&0xf])
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('.')
	return b.String()
}
