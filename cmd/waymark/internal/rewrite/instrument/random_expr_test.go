package instrument

import (
	"fmt"
	"slices"
	"strings"
)

// expr writes an expression of a type, with up to depth levels of others in it. It
// may panic, and call functions that have effects.
func (p *programmer) expr(typ string, depth int) string {
	if depth <= 0 || p.chance(4) {
		return p.operand(typ)
	}
	depth--
	e := func(typ string) string { return p.expr(typ, depth) }
	if p.chance(5) {
		if call, ok := p.callOf(typ); ok {
			return call
		}
	}
	if p.chance(12) && typ != "T" {
		return p.literalCall(typ)
	}
	switch typ {
	case "int":
		switch p.IntN(9) {
		case 0:
			return fmt.Sprintf("len(%s)", e("[]int"))
		case 1:
			return p.mayPanic(fmt.Sprintf("%s[%s]", e("[]int"), e("int")), "ten")
		case 2:
			return p.mayPanic(e("*box")+".n", "one")
		case 3:
			return p.mayPanic(fmt.Sprintf("%s(%s)", e("func(int) int"), e("int")), "two")
		case 4:
			return fmt.Sprintf("int(%s)", e("uint8"))
		case 5:
			return "-" + p.operand("int")
		case 6:
			return fmt.Sprintf("%s << %s", p.operand("int"), p.operand("uint8"))
		}
		if p.chance(6) {
			return fmt.Sprintf("(%s / %s)", e("int"), e("int"))
		}
		return fmt.Sprintf("(%s %s %s)", e("int"), pick(p, strings.Fields("+ - * & |")), e("int"))
	case "uint8":
		return fmt.Sprintf("(%s %s %s)", e("uint8"), pick(p, strings.Fields("+ - * ^ >>")), e("uint8"))
	case "string":
		if p.chance(3) {
			return fmt.Sprintf("text(%s)", e(pick(p, []string{"int", "bool", "error", "[]int"})))
		}
		return fmt.Sprintf("(%s + %s)", e("string"), e("string"))
	case "bool":
		switch p.IntN(4) {
		case 0:
			return "!" + e("bool")
		case 1:
			return fmt.Sprintf("(%s %s %s)", e("bool"), pick(p, strings.Fields("&& || == !=")), e("bool"))
		case 2:
			return fmt.Sprintf("(%s == nil)", e("error"))
		}
		return fmt.Sprintf("(%s %s %s)", e("int"), pick(p, strings.Fields("< <= == != > >=")), e("int"))
	case "[]int":
		switch p.IntN(3) {
		case 0:
			return fmt.Sprintf("append(%s, %s)", e("[]int"), e("int"))
		case 1:
			return p.mayPanic(fmt.Sprintf("%s[:%s]", e("[]int"), e("int")), "[]int{ten}")
		}
		return fmt.Sprintf("[]int{%s, %s}", e("int"), e("int"))
	case "error":
		return fmt.Sprintf("error(fault(%s))", e("string"))
	case "*box":
		return fmt.Sprintf("(&box{%s, %s})", e("int"), e("string"))
	case "func(int) int":
		return p.literal([]variable{{"i", "int"}}, []variable{{"q", "int"}})
	}
	return p.operand(typ)
}

// mayPanic returns the expression, or more often one that can't panic: programs are to
// get beyond their first statements.
func (p *programmer) mayPanic(expr, safe string) string {
	if p.chance(3) {
		return expr
	}
	return safe
}

// operand writes a variable or a constant.
func (p *programmer) operand(typ string) string {
	for range 4 {
		if len(p.in.vars) > 0 && !p.chance(4) {
			if v := pick(p, p.in.vars); v.typ == typ {
				return v.name
			}
		}
	}
	switch typ {
	case "int":
		return pick(p, []string{"zero", "one", "two", "ten"}) // constants could overflow
	case "uint8":
		return pick(p, []string{"few", "some"})
	case "string":
		return pick(p, []string{`"a"`, `"bc"`, `""`, "`d\ne`", `"{"`})
	case "bool":
		return pick(p, []string{"true", "false"})
	case "[]int":
		return pick(p, []string{"[]int{1, 2}", "[]int(nil)", "[]int{0: 7}"})
	case "error":
		return pick(p, []string{"error(nil)", `error(fault("bad"))`})
	case "*box":
		return pick(p, []string{"(*box)(nil)", "new(box)", `(&box{s: "in"})`})
	case "func(int) int":
		return pick(p, []string{"(func(int) int)(nil)", "func(i int) int { return i + 1 }"})
	}
	return "*new(" + typ + ")"
}

// result writes what is returned or assigned where the type is known: untyped
// values and nil too.
func (p *programmer) result(typ string) string {
	if p.chance(5) {
		switch typ {
		case "error", "[]int", "*box", "func(int) int":
			return "nil"
		case "uint8", "int":
			return pick(p, []string{"1 << 3", "'a'", "-0", "2.0"})
		}
	}
	return p.expr(typ, 2)
}

// callOf writes a call of a function with one result of a type, if there is any.
func (p *programmer) callOf(typ string) (string, bool) {
	if len(p.funcs) == 0 {
		return "", false
	}
	for range 3 {
		f := pick(p, p.funcs)
		if len(f.results) == 1 && (f.results[0].typ == typ || f.results[0].typ == "T") {
			return p.call(f, typ), true
		}
	}
	return "", false
}

// call writes a call of f; a T is to be of the given type.
func (p *programmer) call(f signature, t string) string {
	if t == "" {
		t = pick(p, varTypes)
	}
	var args []string
	for _, v := range f.params {
		typ := v.typ
		if typ == "T" {
			typ = t
		}
		args = append(args, p.expr(typ, 1))
	}
	switch {
	case f.name[0] != '.' && f.generic:
		return fmt.Sprintf("%s[%s](%s)", f.name, t, joined(args))
	case f.name[0] != '.':
		return fmt.Sprintf("%s(%s)", f.name, joined(args))
	case p.chance(4):
		return fmt.Sprintf("(*box)%s(%s)", f.name, joined(args))
	}
	return fmt.Sprintf("(%s)%s(%s)", args[0], f.name, joined(args[1:]))
}

// discard writes a call whose results are said, if any.
func (p *programmer) discard(f signature) string {
	if len(f.results) == 0 {
		return p.call(f, "")
	}
	return fmt.Sprintf("note(%s)", p.call(f, ""))
}

// literalCall writes the call of a function literal with a result of a type.
func (p *programmer) literalCall(typ string) string {
	return p.literal(nil, []variable{{"q", typ}}) + "()"
}

// literal writes a function literal with a body.
func (p *programmer) literal(params, results []variable) string {
	outer, indent, before := p.in, p.indent, p.String()
	p.Reset()
	p.in = &body{results: results, left: outer.left / 3, depth: outer.depth + 2}
	outer.left /= 2
	var list []string
	for _, v := range params {
		list = append(list, v.name+" "+v.typ)
	}
	head := "func(" + joined(list) + ")" + p.resultList() + " {\n"
	p.in.vars = slices.Clone(outer.vars)
	for _, v := range append(params, named(p.in.results)...) {
		p.in.vars = append(without(p.in.vars, v.name), v)
	}
	p.indent++
	p.line("enter(%q)", "literal")
	p.block()
	p.end()
	p.indent--
	p.line("}")
	text := head + strings.TrimSuffix(p.String(), "\n")
	p.Reset()
	p.WriteString(before)
	p.in, p.indent = outer, indent
	return text
}
