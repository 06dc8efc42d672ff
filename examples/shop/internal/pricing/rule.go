package pricing

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
)

// A Rule is a compiled discount rule.
type Rule struct {
	name    string
	off     catalog.Rate
	applies predicate
}

// A predicate is a compiled condition.
type predicate func(scope) bool

// scope is what a condition is about.
type scope struct {
	cart *Cart
	line *Line
}

// The fields that a condition can compare, by name. Numbers are in
// hundredths, as amounts of money are.
var (
	textFields   = map[string]func(scope) string{}
	numberFields = map[string]func(scope) catalog.Money{}
)

func init() {
	textFields["category"] = func(s scope) string { return s.line.Category }
	textFields["sku"] = func(s scope) string { return s.line.SKU }
	textFields["coupon"] = func(s scope) string { return s.cart.Coupon }
	textFields["region"] = func(s scope) string { return s.cart.Region }

	numberFields["price"] = func(s scope) catalog.Money { return s.line.Price }
	numberFields["quantity"] = func(s scope) catalog.Money { return hundredths(s.line.Quantity) }
	numberFields["subtotal"] = func(s scope) catalog.Money { return s.cart.Gross() }
	numberFields["lines"] = func(s scope) catalog.Money { return hundredths(len(s.cart.Lines)) }
}

func hundredths(n int) catalog.Money { return catalog.Money(n) * 100 }

// A SyntaxError reports a mistake in the text of a rule.
type SyntaxError struct {
	Line int
	Msg  string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("pricing: rule on line %d: %s", e.Line, e.Msg)
}

// Compile compiles rules, one on each line of text that is not blank. A rule
// has the form
//
//	NAME PERCENTAGE% when CONDITION
//
// where a condition compares fields with numbers or quoted text by ==, !=, <,
// <=, > and >=, combined by and, or, not and parentheses:
//
//	three-books 10% when category == "books" and quantity >= 3
//	spring 7.5% when subtotal > 40 and not (coupon == "" or region == "UK")
func Compile(text string) ([]*Rule, error) {
	var rules []*Rule
	number := 0
	for src := range strings.Lines(text) {
		number++
		if strings.TrimSpace(src) == "" {
			continue
		}
		r, err := compileRule(src, number)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// tokenPattern matches a token: quoted text, an operator, a word or number,
// or anything else that is a character.
var tokenPattern = regexp.MustCompile(`"[^"]*"|[=!<>]=|[\w.-]+|\S`)

func compileRule(src string, number int) (r *Rule, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *SyntaxError:
			err = e
		default:
			panic(e)
		}
	}()
	p := &parser{line: number, tokens: tokenPattern.FindAllString(src, -1)}
	return p.rule(), nil
}

// A parser compiles one rule by recursive descent. Its methods panic with a
// *SyntaxError if they cannot.
type parser struct {
	line   int
	tokens []string
}

func (p *parser) failf(format string, args ...any) {
	panic(&SyntaxError{Line: p.line, Msg: fmt.Sprintf(format, args...)})
}

func (p *parser) next() string {
	if len(p.tokens) == 0 {
		p.failf("unexpected end")
	}
	tok := p.tokens[0]
	p.tokens = p.tokens[1:]
	return tok
}

// accept takes the next token if it is want.
func (p *parser) accept(want string) bool {
	if len(p.tokens) == 0 || p.tokens[0] != want {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(want string) {
	if tok := p.next(); tok != want {
		p.failf("expected %q, not %q", want, tok)
	}
}

func (p *parser) rule() *Rule {
	r := &Rule{name: p.next(), off: catalog.Rate(p.number(p.next()))}
	if r.off > 100_00 {
		p.failf("more than 100%% off")
	}
	p.expect("%")
	p.expect("when")
	r.applies = p.or()
	if len(p.tokens) > 0 {
		p.failf("unexpected %q after the condition", p.next())
	}
	return r
}

func (p *parser) or() predicate {
	a := p.and()
	if !p.accept("or") {
		return a
	}
	b := p.or()
	return func(s scope) bool { return a(s) || b(s) }
}

func (p *parser) and() predicate {
	a := p.term()
	if !p.accept("and") {
		return a
	}
	b := p.and()
	return func(s scope) bool { return a(s) && b(s) }
}

func (p *parser) term() predicate {
	switch {
	case p.accept("not"):
		cond := p.term()
		return func(s scope) bool { return !cond(s) }
	case p.accept("("):
		cond := p.or()
		p.expect(")")
		return cond
	}
	name, op, value := p.next(), p.next(), p.next()
	if get, ok := numberFields[name]; ok {
		return compare(p, get, op, p.number(value))
	}
	get, ok := textFields[name]
	if !ok {
		p.failf("unknown field %q", name)
	}
	return compare(p, get, op, p.text(value))
}

func (p *parser) number(tok string) catalog.Money {
	n, err := catalog.ParseMoney(tok)
	if err != nil {
		p.failf("expected a number, not %q", tok)
	}
	return n
}

func (p *parser) text(tok string) string {
	if !strings.HasPrefix(tok, `"`) {
		p.failf("expected quoted text, not %q", tok)
	}
	return strings.Trim(tok, `"`)
}

// compare returns the predicate that get's result and value are in relation
// op.
func compare[T string | catalog.Money](p *parser, get func(scope) T, op string, value T) predicate {
	switch op {
	case "==":
		return func(s scope) bool { return get(s) == value }
	case "!=":
		return func(s scope) bool { return get(s) != value }
	case "<":
		return func(s scope) bool { return get(s) < value }
	case "<=":
		return func(s scope) bool { return get(s) <= value }
	case ">":
		return func(s scope) bool { return get(s) > value }
	case ">=":
		return func(s scope) bool { return get(s) >= value }
	}
	p.failf("expected a comparison, not %q", op)
	return nil
}
