package instrument

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// A symbol is the name of a declared function, in parts.
type symbol struct {
	recv, base  string
	pointer     bool // the receiver is a pointer
	genericRecv bool // the receiver has type parameters
	generic     bool // the function itself has type parameters
	ordinal     int  // among the init functions; -1 if it is none
}

// String returns the name as the linker has it after the package's path. All
// instances of a generic function go by one name.
func (s symbol) String() string {
	const params = "[...]"
	base := s.base
	if s.ordinal >= 0 {
		base += "." + strconv.Itoa(s.ordinal)
	}
	if s.generic {
		base += params
	}
	if s.recv == "" {
		return base
	}
	recv := s.recv
	if s.genericRecv {
		recv += params
	}
	if s.pointer {
		recv = "(*" + recv + ")"
	}
	return recv + "." + base
}

// nameFuncs names the declared functions of a build. They are all needed to
// number those called init.
func nameFuncs(u *unit) map[*ast.FuncDecl]symbol {
	symbols := make(map[*ast.FuncDecl]symbol)
	inits := 0
	for _, src := range u.build {
		for _, decl := range src.tree.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			s := u.symbol(fn)
			if fn.Recv == nil && s.base == "init" {
				s.ordinal = inits
				inits++
			}
			symbols[fn] = s
		}
	}
	return symbols
}

func (u *unit) symbol(fn *ast.FuncDecl) symbol {
	s := symbol{base: fn.Name.Name, ordinal: -1, generic: fn.Type.TypeParams != nil}
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return s
	}
	s.recv, s.pointer, s.genericRecv = receiver(fn.Recv.List[0].Type)
	// The receiver may be written with an alias.
	if m, ok := u.info.Defs[fn.Name].(*types.Func); ok {
		typ := types.Unalias(m.Signature().Recv().Type())
		if p, ok := typ.(*types.Pointer); ok {
			s.pointer = true
			typ = types.Unalias(p.Elem())
		}
		if named, ok := typ.(*types.Named); ok {
			s.recv = named.Obj().Name()
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

// linkPrefix returns the package's path as it appears in symbol names, with
// the dot behind it. The escapes are those of cmd/internal/objabi.
func linkPrefix(g *Group) string {
	if g.Main {
		return "main."
	}
	const hex = "0123456789abcdef"
	slash := strings.LastIndexByte(g.ImportPath, '/')
	var b strings.Builder
	for i := range len(g.ImportPath) {
		c := g.ImportPath[i]
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
