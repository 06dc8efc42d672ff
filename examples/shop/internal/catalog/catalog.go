// Package catalog is the shop's range of products: what they are, what they
// cost and how to find them.
package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/examples/shop/internal/search"
)

// An Item is what an order needs to know of a product.
type Item struct {
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Category string `json:"category"`
	Price    Money  `json:"price"` // without tax
	Grams    int    `json:"grams"`
}

// A Product is an item for sale.
type Product struct {
	Item
	Description string `json:"description"`
	Stock       int    `json:"-"`                 // when the shop first opens
	Limited     bool   `json:"limited,omitempty"` // will not be restocked
}

// A NotFoundError reports a SKU that the catalogue does not have.
type NotFoundError struct{ SKU string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("catalog: no product %q", e.SKU)
}

// A Match is a product found by a search.
type Match struct {
	Item
	search.Hit
}

// A Catalog is a set of products that can be looked up and searched. It does
// not change once made and is safe for concurrent use.
type Catalog struct {
	products map[string]Product
	index    *search.Index
}

// New returns a catalogue of products. Their SKUs must be distinct.
func New(products ...Product) (*Catalog, error) {
	c := &Catalog{
		products: make(map[string]Product, len(products)),
		index:    search.NewIndex(2 * max(len(products), 1)),
	}
	for _, p := range products {
		if _, ok := c.products[p.SKU]; ok {
			return nil, fmt.Errorf("catalog: two products have the SKU %q", p.SKU)
		}
		c.products[p.SKU] = p
		c.index.Add(search.Document{ID: p.SKU, Title: p.Name, Body: p.Description})
	}
	return c, nil
}

// Product returns the product with the given SKU, or a [*NotFoundError].
func (c *Catalog) Product(sku string) (Product, error) {
	p, ok := c.products[sku]
	if !ok {
		return Product{}, &NotFoundError{SKU: sku}
	}
	return p, nil
}

// Products returns all products in order of SKU.
func (c *Catalog) Products() []Product {
	all := make([]Product, 0, len(c.products))
	for _, p := range c.products {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Product) int { return strings.Compare(a.SKU, b.SKU) })
	return all
}

// Search returns up to limit products that match text, the best first.
func (c *Catalog) Search(text string, limit int) []Match {
	hits := c.index.Search(search.Query{Text: text, Limit: limit})
	matches := make([]Match, len(hits))
	for i, h := range hits {
		matches[i] = Match{Item: c.products[h.ID].Item, Hit: h}
	}
	return matches
}
