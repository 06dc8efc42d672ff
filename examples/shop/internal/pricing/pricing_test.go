package pricing

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
)

func lineOf(category string, price catalog.Money, quantity int) Line {
	return Line{Item: catalog.Item{SKU: category, Category: category, Price: price}, Quantity: quantity}
}

func TestCompile(t *testing.T) {
	cart := Cart{
		Lines:  []Line{lineOf("books", 1200, 3), lineOf("toys", 500, 1)},
		Coupon: "SPRING",
		Region: "IE",
	}
	tests := []struct {
		cond string
		want bool // for the first line
	}{
		{`category == "books"`, true},
		{`category != "books"`, false},
		{`quantity >= 3 and price < 12.01`, true},
		{`quantity > 3`, false},
		{`price <= 11.99 or price == 12`, true},
		{`subtotal == 41`, true},
		{`not lines == 2`, false},
		{`not (coupon == "" or region == "UK")`, true},
		{`coupon == "" and region == "UK" or sku == "books"`, true},
		{`coupon == "" and (region == "UK" or sku == "books")`, false},
		{`sku == "books" or coupon == "" and region == "UK"`, true},
	}
	for _, tt := range tests {
		rules, err := Compile("test 10% when " + tt.cond)
		if err != nil {
			t.Errorf("%s: %v", tt.cond, err)
			continue
		}
		if got := rules[0].applies(scope{&cart, &cart.Lines[0]}); got != tt.want {
			t.Errorf("%s = %t, want %t", tt.cond, got, tt.want)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	tests := []struct{ rule, want string }{
		{`x ten% when lines > 1`, `expected a number`},
		{`x 101% when lines > 1`, `more than 100%`},
		{`x 10 when lines > 1`, `expected "%"`},
		{`x 10% if lines > 1`, `expected "when"`},
		{`x 10% when`, `unexpected end`},
		{`x 10% when colour == "red"`, `unknown field "colour"`},
		{`x 10% when quantity and 3`, `expected a comparison`},
		{`x 10% when category == 3`, `expected quoted text`},
		{`x 10% when quantity > "3"`, `expected a number`},
		{`x 10% when (quantity > 3`, `unexpected end`},
		{`x 10% when quantity > 3)`, `unexpected ")"`},
		{`x 10% when quantity > 3 & price > 1`, `unexpected "&"`},
	}
	for _, tt := range tests {
		_, err := Compile("\n\n" + tt.rule)
		syntax, ok := errors.AsType[*SyntaxError](err)
		if !ok || syntax.Line != 3 || !strings.Contains(syntax.Msg, tt.want) {
			t.Errorf("Compile(%q): %v, want %s on line 3", tt.rule, err, tt.want)
		}
	}
}

func TestQuote(t *testing.T) {
	e, err := NewEngine(`
		three-books 10%  when category == "books" and quantity >= 3
		ten-books   20%  when category == "books" and quantity >= 10
		welcome     5%   when coupon == "WELCOME"
		gift        100% when coupon == "GIFT"
	`, TaxTable{
		"UK": {Standard: 2000, Reduced: map[string]catalog.Rate{"books": 0}},
		"DE": {Standard: 1900},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		cart Cart
		want Quote
	}{
		{"no discount", Cart{Region: "UK", Lines: []Line{lineOf("toys", 1000, 2)}},
			Quote{Net: 2000, Tax: 400, Total: 2400}},
		{"reduced tax", Cart{Region: "UK", Lines: []Line{lineOf("toys", 1000, 1), lineOf("books", 500, 1)}},
			Quote{Net: 1500, Tax: 200, Total: 1700}},
		{"discount", Cart{Region: "DE", Lines: []Line{lineOf("books", 1000, 3)}},
			Quote{Discounts: []Discount{{"three-books", "books", 300}}, Net: 2700, Tax: 513, Total: 3213}},
		{"best discount", Cart{Region: "UK", Coupon: "WELCOME", Lines: []Line{lineOf("books", 1000, 10), lineOf("toys", 2000, 1)}},
			Quote{
				Discounts: []Discount{{"ten-books", "books", 2000}, {"welcome", "toys", 100}},
				Net:       9900, Tax: 380, Total: 10280,
			}},
		{"free", Cart{Region: "UK", Coupon: "GIFT", Lines: []Line{lineOf("toys", 999, 1)}},
			Quote{Discounts: []Discount{{"gift", "toys", 999}}}},
		{"empty", Cart{Region: "UK"}, Quote{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := e.Quote(tt.cart)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Quote = %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}

	_, err = e.Quote(Cart{Region: "Atlantis"})
	if unknown, ok := errors.AsType[*UnknownRegionError](err); !ok || unknown.Region != "Atlantis" {
		t.Errorf("error = %v, want an UnknownRegionError", err)
	}
}
