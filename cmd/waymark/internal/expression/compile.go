package expression

import (
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/control"
)

// Compile compiles an expression. If a signature is given, arguments and results are checked against
// it, and found by their numbers: else by their names, in whatever function. Errors are *Error.
func Compile(text string, sig *Signature) (*condition.Program, error) {
	return (&compiler{text: text, sig: sig}).compile()
}

// CompileLine compiles an expression about the variables of a line, which stand for themselves: retries > 3 && err != nil.
// Errors are *Error.
func CompileLine(text string) (*condition.Program, error) {
	return (&compiler{text: text, line: true}).compile()
}

// CompileValue compiles the name of a value, such as args.key, results[0] or len(args.list). Errors are *Error.
func CompileValue(text string) (*condition.Instruction, error) {
	c := &compiler{text: text}
	e, err := parser.ParseExpr(text)
	if err != nil {
		return nil, syntax(text, err)
	}
	n, err := c.expr(e)
	if err != nil {
		return nil, err
	}
	if n.in.Op != condition.Value {
		return nil, &Error{text, 0, "want an argument or a result, such as args.name or results[0]"}
	}
	return &n.in, nil
}

// Encode compiles an expression about what targets name, calls of functions or lines, for a control.Watch. An empty one
// is none. Errors are *Error.
func Encode(text string, targets []string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	compile := func(text string) (*condition.Program, error) { return Compile(text, nil) }
	if slices.ContainsFunc(targets, control.IsLine) {
		compile = CompileLine
	}
	p, err := compile(text)
	if err != nil {
		return nil, err
	}
	return p.Append(nil), nil
}

func (c *compiler) compile() (*condition.Program, error) {
	text := c.text
	if strings.TrimSpace(text) == "" {
		return nil, &Error{text, 0, "the expression is empty: write one such as args[0] > 10"}
	}
	source, found, wrong := durations(text)
	if wrong != nil {
		return nil, wrong
	}
	e, err := parser.ParseExpr(source)
	if err != nil {
		return nil, syntax(text, err)
	}
	c.durations = make(map[int]int64)
	for at, d := range found {
		c.durations[at] = int64(d)
	}
	n, err := c.expr(e)
	if err != nil {
		return nil, err
	}
	if err := c.truth(n); err != nil {
		return nil, err
	}
	p, err := split(text, n)
	if err != nil {
		return nil, err
	}
	if _, err := condition.Decode(p.Append(nil)); err != nil {
		return nil, &Error{text, 0, fmt.Sprintf("the expression is too large (%v)", err)}
	}
	return p, nil
}

// syntax returns the parser's first error.
func syntax(text string, err error) error {
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return &Error{text, 0, err.Error()}
	}
	at, what := list[0].Pos.Offset, list[0].Msg
	if i := strings.LastIndexByte(what, '\n'); i >= 0 {
		what = what[:i]
	}
	at = min(at, len(text))
	return &Error{text, at, meant(what, text[:at], text[at:])}
}

// meant says what to write instead, where the parser's message has words of Go's own grammar. before and
// rest are the text around the place.
func meant(what, before, rest string) string {
	word, _, _ := strings.Cut(rest, " ")
	_, found, _ := strings.Cut(what, "found ")
	switch ends := found == "'EOF'" || found == "newline"; {
	case strings.HasPrefix(what, "illegal rune literal"), strings.HasPrefix(what, "more than one character in rune literal"):
		quoted, _, _ := strings.Cut(rest[min(1, len(rest)):], "'")
		return fmt.Sprintf("a string stands in double quotes: %q", quoted)
	case word == "and":
		return "write && for and"
	case word == "or":
		return "write || for or"
	case strings.HasSuffix(strings.TrimSpace(before), "not"):
		return "write ! for not"
	case ends && strings.HasPrefix(what, "expected operand"):
		return "an operand is wanted here, such as args[0], args.name, results[0], duration or a constant"
	case ends:
		return strings.TrimSuffix(what, "found "+found) + "and the condition ends here"
	case strings.HasPrefix(what, "expected 'EOF'"):
		return "want an operator, such as == or &&, or the end: found " + found
	case strings.HasPrefix(what, "expected '=='"):
		return "write == to compare"
	}
	return what
}

// split divides the tree into what is decided where the call begins and where it ends.
func split(text string, n *node) (*condition.Program, error) {
	p := &condition.Program{Text: text}
	var enter, exit *node
	for _, part := range conjuncts(n, nil) {
		to := &enter
		if part.exit {
			to = &exit
		}
		if *to == nil {
			*to = part
		} else {
			*to = both(part.at, boolean, condition.Instruction{Op: condition.And}, *to, part)
		}
	}
	var err error
	if enter != nil {
		p.Enter = code(enter, nil)
	}
	if exit != nil {
		if exit, err = slots(text, exit, p); err != nil {
			return nil, err
		}
		p.Exit = code(exit, nil)
	}
	return p, nil
}

// conjuncts appends the parts of n that must all be true.
func conjuncts(n *node, list []*node) []*node {
	if n.in.Op != condition.And {
		return append(list, n)
	}
	return conjuncts(n.operands[1], conjuncts(n.operands[0], list))
}

// slots replaces the parts of n that read arguments by slots of p.
func slots(text string, n *node, p *condition.Program) (*node, error) {
	if n.enter && !n.exit {
		if len(p.Slots) == condition.MaxSlots {
			return nil, &Error{text, n.at, fmt.Sprintf("more than %d parts about arguments beside parts about the end", condition.MaxSlots)}
		}
		p.Slots = append(p.Slots, code(n, nil))
		return &node{kind: boolean, in: condition.Instruction{Op: condition.Slot, Index: len(p.Slots) - 1}}, nil
	}
	if !n.enter {
		return n, nil
	}
	c := *n
	c.operands = nil
	for _, o := range n.operands {
		o, err := slots(text, o, p)
		if err != nil {
			return nil, err
		}
		c.operands = append(c.operands, o)
	}
	return &c, nil
}

// code appends the instructions of a tree.
func code(n *node, c condition.Code) condition.Code {
	if n.in.Op != condition.And && n.in.Op != condition.Or {
		for _, o := range n.operands {
			c = code(o, c)
		}
		return append(c, n.in)
	}
	c = code(n.operands[0], c)
	jump := len(c)
	c = code(n.operands[1], append(c, n.in))
	c[jump].Skip = len(c) - jump - 1
	return c
}
