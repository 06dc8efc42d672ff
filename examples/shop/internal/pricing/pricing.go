// Package pricing works out what a cart costs: discounts by rules written in
// a small language, and tax by region.
package pricing

import (
	"fmt"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
)

// A Line is a quantity of one item in a cart.
type Line struct {
	catalog.Item
	Quantity int `json:"quantity"`
}

// Gross returns the price of the line before discounts and tax.
func (l Line) Gross() catalog.Money { return l.Price.Times(l.Quantity) }

// A Cart is what a customer wants to buy.
type Cart struct {
	Lines  []Line `json:"lines"`
	Coupon string `json:"coupon,omitempty"`
	Region string `json:"region"`
}

// Gross returns the price of the cart before discounts and tax.
func (c *Cart) Gross() catalog.Money {
	var total catalog.Money
	for _, l := range c.Lines {
		total += l.Gross()
	}
	return total
}

// A Discount is what a rule takes off the price of a line.
type Discount struct {
	Rule   string        `json:"rule"`
	SKU    string        `json:"sku"`
	Amount catalog.Money `json:"amount"`
}

// A Quote is what a cart costs.
type Quote struct {
	Discounts []Discount    `json:"discounts,omitempty"`
	Net       catalog.Money `json:"net"`
	Tax       catalog.Money `json:"tax"`
	Total     catalog.Money `json:"total"`
}

// An Engine prices carts. It is safe for concurrent use.
type Engine struct {
	rules []*Rule
	taxes TaxTable
}

// NewEngine returns an engine with the given rules, in the language that
// [Compile] describes, and taxes.
func NewEngine(rules string, taxes TaxTable) (*Engine, error) {
	compiled, err := Compile(rules)
	if err != nil {
		return nil, err
	}
	return &Engine{rules: compiled, taxes: taxes}, nil
}

// Quote prices a cart. To each line it applies the rule that takes off most.
// The error is an [*UnknownRegionError] if the cart's region is not in the
// tax table.
func (e *Engine) Quote(cart Cart) (Quote, error) {
	rates, ok := e.taxes[cart.Region]
	if !ok {
		return Quote{}, &UnknownRegionError{Region: cart.Region}
	}
	var q Quote
	for i := range cart.Lines {
		line := &cart.Lines[i]
		net := line.Gross()
		if d, ok := e.bestDiscount(&cart, line); ok {
			q.Discounts = append(q.Discounts, d)
			net -= d.Amount
		}
		q.Net += net
		q.Tax += rates.forCategory(line.Category).Of(net)
	}
	q.Total = q.Net + q.Tax
	return q, nil
}

func (e *Engine) bestDiscount(cart *Cart, line *Line) (best Discount, ok bool) {
	s := scope{cart: cart, line: line}
	for _, r := range e.rules {
		if !r.applies(s) {
			continue
		}
		if amount := r.off.Of(line.Gross()); amount > best.Amount {
			best = Discount{Rule: r.name, SKU: line.SKU, Amount: amount}
		}
	}
	return best, best.Amount > 0
}

// A TaxTable holds the tax rates of regions by name.
type TaxTable map[string]TaxRates

// TaxRates are the tax rates of a region.
type TaxRates struct {
	Standard catalog.Rate
	Reduced  map[string]catalog.Rate // by category, where not the standard rate
}

// An UnknownRegionError reports a region that a tax table does not have.
type UnknownRegionError struct{ Region string }

func (e *UnknownRegionError) Error() string {
	return fmt.Sprintf("pricing: no tax rates for region %q", e.Region)
}

func (r TaxRates) forCategory(category string) catalog.Rate {
	if rate, ok := r.Reduced[category]; ok {
		return rate
	}
	return r.Standard
}
