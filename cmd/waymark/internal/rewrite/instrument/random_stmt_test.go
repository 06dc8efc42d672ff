package instrument

import (
	"fmt"
	"slices"
	"strings"
)

// block writes statements in a scope of their own, and what last writes in the end.
func (p *programmer) block(last ...func()) {
	defer p.open()()
	for range 1 + p.IntN(4) {
		if p.in.left > 0 {
			p.in.left--
			p.statement()
		}
	}
	for _, write := range last {
		write()
	}
}

// open begins a scope, and what it returns ends it.
func (p *programmer) open() (end func()) {
	in, outer := p.in, p.in.scope
	in.scope.vars = slices.Clone(outer.vars)
	in.scope.here = make(map[string]bool)
	in.depth++
	in.scopes++
	return func() {
		in.scope = outer
		in.depth--
		in.scopes--
	}
}

// nested writes a block after what opens it, without its closing brace.
func (p *programmer) nested(opening string, last ...func()) {
	p.line("%s {", opening)
	p.indent++
	p.block(last...)
	p.indent--
}

// end writes a terminating statement, if the function needs one or by chance.
func (p *programmer) end() {
	if len(p.in.results) == 0 && p.chance(2) {
		return
	}
	// What the block before has declared isn't in scope.
	switch p.IntN(9) {
	case 0:
		p.nested("for", p.ret)
		p.line("}")
	case 1:
		p.line("panic(%s)", p.expr(pick(p, []string{"error", "string", "int"}), 2))
	case 2:
		p.nested("if "+p.expr("bool", 2), p.ret)
		p.line("} else {")
		p.ret()
		p.line("}")
	case 3:
		p.line("switch {")
		p.line("case %s:", p.expr("bool", 2))
		p.line("fallthrough")
		p.line("default:")
		p.ret()
		p.line("}")
	case 4:
		p.line("{")
		p.ret()
		p.line("}")
	case 5:
		label := fmt.Sprint("end", p.fresh())
		p.line("goto %s", label)
		p.line("%s:", label)
		p.ret()
	default:
		p.ret()
	}
}

// ret writes a return of any shape that is valid.
func (p *programmer) ret() {
	results := p.in.results
	if len(results) == 0 {
		p.line("return")
		return
	}
	if results[0].name != "" && !p.in.hidden && p.chance(3) {
		p.line("return")
		return
	}
	if len(results) > 1 && p.chance(3) {
		for _, f := range p.funcs {
			if sameTypes(f.results, results) {
				p.line("return %s", p.call(f, "int"))
				return
			}
		}
	}
	var list []string
	for _, v := range results {
		list = append(list, p.result(v.typ))
	}
	p.line("return %s", strings.Join(list, pick(p, []string{", ", ",\n"})))
}

func sameTypes(a, b []variable) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].typ != b[i].typ || a[i].typ == "T" {
			return false
		}
	}
	return true
}

// declare brings a variable into scope and returns its name. The name is a new one,
// or that of a result, which the variable hides if the scope isn't the function's.
func (p *programmer) declare(typ string) string {
	name := fmt.Sprint("v", p.fresh())
	if results := named(p.in.results); len(results) > 0 && p.in.scopes > 1 && p.chance(3) {
		if result := pick(p, results).name; !p.in.here[result] {
			name = result
			p.in.hidden = true
		}
	}
	p.in.here[name] = true
	p.in.vars = append(without(p.in.vars, name), variable{name, typ})
	return name
}

func without(vars []variable, name string) []variable {
	return slices.DeleteFunc(vars, func(v variable) bool { return v.name == name })
}

// target opens a statement that others in it may leave by name, and returns what to
// write in front of it. The label is used at once, as Go wants.
func (p *programmer) target(loop bool) (label string) {
	t := target{loop: loop}
	if p.chance(2) {
		t.label = fmt.Sprint("L", p.fresh())
		label = t.label + ": "
	}
	p.in.targets = append(p.in.targets, t)
	return label
}

// useLabel writes a statement that names the innermost target.
func (p *programmer) useLabel() {
	p.line("spend()")
	if t := p.in.targets[len(p.in.targets)-1]; t.label != "" {
		p.line("if zero > one { break %s }", t.label)
	}
}

func (p *programmer) leave() { p.in.targets = p.in.targets[:len(p.in.targets)-1] }

func (p *programmer) statement() {
	if p.in.depth > 6 {
		p.line("note(%s)", p.expr(pick(p, varTypes), 1))
		return
	}
	switch p.IntN(26) {
	case 0, 1:
		typ := pick(p, varTypes)
		value := p.expr(typ, 2)
		name := p.declare(typ)
		p.line("%s := %s; _ = %s", name, value, name)
	case 2:
		typ := pick(p, varTypes)
		value := p.result(typ)
		name := p.declare(typ)
		p.line("var %s %s = %s; _ = %s", name, typ, value, name)
	case 3, 4:
		p.assign()
	case 5, 6:
		p.line("note(%s, %s)", p.expr(pick(p, varTypes), 2), p.expr(pick(p, varTypes), 1))
	case 7, 8:
		p.nested("if " + p.expr("bool", 2))
		if p.chance(2) {
			p.nested("} else")
		}
		p.line("}")
	case 9, 10, 11:
		p.loop()
	case 12:
		p.switchStmt()
	case 13:
		p.typeSwitch()
	case 14:
		p.selectStmt()
	case 15, 16, 17:
		p.deferStmt()
	case 18:
		p.nested("if "+p.expr("bool", 1), p.ret)
		p.line("}")
	case 19:
		p.branch()
	case 20:
		p.line("if %s { panic(%s) }", p.expr("bool", 1), p.expr(pick(p, []string{"error", "string", "int"}), 1))
	case 21:
		if len(p.funcs) > 0 {
			p.line("%s", p.discard(pick(p, p.funcs)))
		}
	case 22:
		end := ""
		if p.chance(3) {
			end = "; goexit()"
		}
		p.line("elsewhere(func() { defer func() { note(recover()) }(); %s()%s })", p.literal(nil, nil), end)
	case 23:
		p.line("note(%spair[%s]{}, recover())", p.name, pick(p, varTypes))
	case 24:
		p.shadow()
	case 25:
		p.gotoStmt()
	}
}

// assign assigns to one or several variables, results among them.
func (p *programmer) assign() {
	if len(p.in.vars) == 0 {
		return
	}
	v := pick(p, p.in.vars)
	switch {
	case v.typ == "int" && p.chance(2):
		p.line("%s %s= %s", v.name, pick(p, strings.Fields("+ - * |")), p.expr("int", 1))
	case p.chance(2):
		w := pick(p, p.in.vars)
		if w.name != v.name {
			p.line("%s, %s = %s, %s", v.name, w.name, p.result(v.typ), p.result(w.typ))
		}
	default:
		p.line("%s = %s", v.name, p.result(v.typ))
	}
}

// loop writes a loop of at most a few rounds, over anything.
func (p *programmer) loop() {
	defer p.open()()
	kind := p.IntN(8)
	over := pick(p, []string{"two", "[]int{1, 2}", `"ab"`, "[...]int{5}", "map[int]int{1: 2}"})
	numbers := p.expr("[]int", 1)
	cond, post := p.expr("bool", 1), p.operand("int")
	label := p.target(true)
	switch kind {
	case 0, 1:
		i := p.declare("int")
		p.line("%sfor %s := 0; %s < 3; %s++ {", label, i, i, i)
	case 2:
		i := fmt.Sprint("i", p.fresh())
		p.line("%sfor %s := 0; %s < 3 && %s; func() { %s++; note(%s) }() {", label, i, i, cond, i, post)
	case 3, 4:
		p.line("%sfor range %s {", label, over)
	case 5, 6:
		i := p.declare("int")
		p.line("%sfor %s := range func(yield func(int) bool) { %s } {", label, i, pick(p, []string{
			"_ = yield(1) && yield(2)",
			"for i := range 3 { if !yield(i) { note(\"stopped\"); return } }",
			"defer note(\"iterated\"); for i := range 2 { if !yield(i) { break } }",
			"for _, i := range " + numbers + " { if !yield(i) { return } }",
		}))
		p.line("_ = %s", i)
	case 7:
		p.line("%sfor range func(yield func() bool) { _ = yield() && yield() } {", label)
	}
	p.indent++
	p.useLabel()
	p.block()
	p.indent--
	p.line("}")
	p.leave()
}

func (p *programmer) switchStmt() {
	tag := p.expr("int", 1)
	label := p.target(false)
	p.line("%sswitch %s {", label, tag)
	for range 1 + p.IntN(3) {
		p.nestedCase("case %s, %s:", p.expr("int", 1), p.expr("int", 1))
		if p.chance(4) {
			p.line("fallthrough")
			p.nestedCase("default:")
			break
		}
	}
	p.line("}")
	p.leave()
}

func (p *programmer) nestedCase(format string, args ...any) {
	p.line(format, args...)
	p.indent++
	p.useLabel()
	p.block()
	p.indent--
}

func (p *programmer) typeSwitch() {
	value := p.expr(pick(p, varTypes), 2)
	label := p.target(false)
	v := fmt.Sprint("v", p.fresh())
	p.line("%sswitch %s := any(%s).(type) {", label, v, value)
	for _, typ := range []string{"int", "string", "error"} {
		end := p.open()
		p.in.vars = append(p.in.vars, variable{v, typ})
		p.nestedCase("case %s:", typ)
		end()
	}
	p.line("default: _ = %s", v)
	p.line("}")
	p.leave()
}

func (p *programmer) selectStmt() {
	label := p.target(false)
	p.line("%sselect {", label)
	if p.chance(2) {
		p.line("case v, ok := <-func() chan int { c := make(chan int, 1); c <- %s; return c }(): note(v, ok)", p.expr("int", 1))
	} else {
		p.line("case (chan int)(nil) <- %s:", p.expr("int", 1))
		p.nestedCase("default:")
	}
	p.indent++
	p.useLabel()
	p.indent--
	p.line("}")
	p.leave()
}

// deferStmt defers a call, or a literal that may recover and change results.
func (p *programmer) deferStmt() {
	if p.chance(3) && len(p.funcs) > 0 {
		if f := pick(p, p.funcs); len(f.results) == 0 {
			p.line("defer %s", p.call(f, ""))
		} else {
			p.line("defer note(%s, %q)", p.expr("int", 1), "deferred")
		}
		return
	}
	p.line("defer %s()", p.literal(nil, nil))
}

// branch leaves or goes on with a statement around.
func (p *programmer) branch() {
	if len(p.in.targets) == 0 {
		return
	}
	t := pick(p, p.in.targets)
	word := "break"
	if t.loop && p.chance(2) {
		word = "continue"
	}
	if t.label != "" {
		p.line("if %s { %s %s }", p.expr("bool", 1), word, t.label)
	} else if last := p.in.targets[len(p.in.targets)-1]; word == "break" || last.loop {
		p.line("if %s { %s }", p.expr("bool", 1), word)
	}
}

// shadow gives predeclared names another meaning, and returns where they have it.
func (p *programmer) shadow() {
	p.line("if %s {", p.expr("bool", 1))
	p.indent++
	p.line("nil, true, len, panic, any, uint32, recover := two, one, ten, zero, one, two, ten")
	p.line("note(nil, true, len, panic, any, uint32, recover)")
	if results := p.in.results; len(results) == 1 && results[0].typ == "int" {
		p.line("return nil + true*len")
	} else if len(results) == 0 {
		p.line("return")
	}
	p.indent--
	p.line("}")
}

// gotoStmt writes a loop of gotos, or a jump over a block.
func (p *programmer) gotoStmt() {
	n, label := fmt.Sprint("n", p.fresh()), fmt.Sprint("G", p.fresh())
	p.line("{")
	p.indent++
	p.line("%s := 0", n)
	if p.chance(2) {
		p.line("%s: %s++", label, n)
		p.nested("")
		p.line("}")
		p.line("if %s < 3 { goto %s }", n, label)
	} else {
		p.line("if %s { goto %s }", p.expr("bool", 1), label)
		p.nested("")
		p.line("}")
		p.line("%s: note(%s)", label, n)
	}
	p.indent--
	p.line("}")
}
