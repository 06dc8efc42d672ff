// Package loadgen drives the shop's HTTP API with made-up customers.
package loadgen

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
	"github.com/waymark-go/waymark/examples/shop/internal/httpapi"
	"github.com/waymark-go/waymark/examples/shop/internal/orders"
)

// A Request is one request of a plan.
type Request struct {
	Method string
	Path   string
	Body   []byte
}

// mix is what customers do, and how often.
var mix = []struct {
	weight int
	plan   func(*planner) Request
}{
	{45, (*planner).search},
	{20, (*planner).view},
	{8, (*planner).quote},
	{14, (*planner).order},
	{3, (*planner).retry},
	{7, (*planner).track},
	{3, (*planner).snapUp},
}

var (
	popularQueries = strings.Fields("kettle bench headphones cookbook chocolate puzzle")
	regions        = strings.Fields("UK UK UK IE IE DE FR ZZ") // there are no tax rates for ZZ
)

// Plan returns the first n requests that a customer makes. They depend on
// nothing but the arguments, and in particular not on the replies.
//
// How many requests succeed does not depend on the order in which the server
// gets those of different customers. Only limited products sell out, and they
// are ordered one at a time, with nothing else.
func Plan(products []catalog.Product, seed uint64, customer, n int) []Request {
	p := &planner{
		customer: customer,
		rng:      rand.New(rand.NewPCG(seed, uint64(customer))),
	}
	for _, product := range products {
		if product.Limited {
			p.limited = append(p.limited, product)
		} else {
			p.regular = append(p.regular, product)
		}
	}
	// So that not just the first products are the popular ones.
	shuffle := rand.New(rand.NewPCG(seed, 0))
	shuffle.Shuffle(len(p.regular), func(i, j int) {
		p.regular[i], p.regular[j] = p.regular[j], p.regular[i]
	})

	total := 0
	for _, m := range mix {
		total += m.weight
	}
	requests := make([]Request, n)
	for i := range requests {
		at := p.rng.IntN(total)
		for _, m := range mix {
			if at -= m.weight; at < 0 {
				requests[i] = m.plan(p)
				break
			}
		}
	}
	return requests
}

// A planner makes up the requests of one customer.
type planner struct {
	customer int
	rng      *rand.Rand
	regular  []catalog.Product // the most popular first
	limited  []catalog.Product
	lastID   int
	placed   []Request // orders of regular products
}

// oneIn is true once in n times.
func (p *planner) oneIn(n int) bool { return p.rng.IntN(n) == 0 }

// product picks a regular product, popular ones more often.
func (p *planner) product() catalog.Product {
	return p.regular[p.rng.IntN(1+p.rng.IntN(len(p.regular)))]
}

// nextID returns an ID for an order.
func (p *planner) nextID() string {
	p.lastID++
	return fmt.Sprintf("c%d-%05d", p.customer, p.lastID)
}

func (p *planner) search() Request {
	var text string
	switch {
	case p.oneIn(10):
		text = popularQueries[p.rng.IntN(len(popularQueries))]
	case p.oneIn(20):
		text = fmt.Sprint("article ", p.rng.IntN(10000)) // not to be found
	default:
		product := p.product()
		words := strings.Fields(product.Name)
		about := strings.Fields(product.Description)
		words = append(words[1:], about[p.rng.IntN(len(about))])
		p.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		text = strings.Join(words[:2+p.rng.IntN(2)], " ")
		if p.oneIn(4) {
			text = strings.ToUpper(text)
		}
	}
	return Request{Method: http.MethodGet, Path: "/search?q=" + url.QueryEscape(text)}
}

func (p *planner) view() Request {
	sku := p.product().SKU
	if p.oneIn(30) {
		sku = "XX-0000"
	}
	return Request{Method: http.MethodGet, Path: "/products/" + sku}
}

func (p *planner) quote() Request {
	return Request{Method: http.MethodPost, Path: "/quotes", Body: encode(p.cart())}
}

func (p *planner) order() Request {
	card := orders.CardGood
	switch {
	case p.oneIn(16):
		card = orders.CardDeclined
	case p.oneIn(32):
		card = orders.CardBroken
	}
	r := p.put(httpapi.OrderRequest{CartRequest: p.cart(), Card: card})
	p.placed = append(p.placed, r)
	return r
}

// retry repeats an order, as a customer does who missed the reply.
func (p *planner) retry() Request {
	if len(p.placed) == 0 {
		return p.order()
	}
	return p.placed[len(p.placed)-1]
}

// track looks up an order.
func (p *planner) track() Request {
	path := "/orders/none"
	if len(p.placed) > 0 {
		path = p.placed[p.rng.IntN(len(p.placed))].Path
	}
	return Request{Method: http.MethodGet, Path: path}
}

// snapUp orders one unit of a limited product.
func (p *planner) snapUp() Request {
	if len(p.limited) == 0 {
		return p.order()
	}
	sku := p.limited[p.rng.IntN(len(p.limited))].SKU
	cart := httpapi.CartRequest{Lines: []httpapi.CartLine{{SKU: sku, Quantity: 1}}, Region: "UK"}
	return p.put(httpapi.OrderRequest{CartRequest: cart, Card: orders.CardGood})
}

func (p *planner) put(order httpapi.OrderRequest) Request {
	return Request{Method: http.MethodPut, Path: "/orders/" + p.nextID(), Body: encode(order)}
}

func (p *planner) cart() httpapi.CartRequest {
	cart := httpapi.CartRequest{Region: regions[p.rng.IntN(len(regions))]}
	for range 1 + p.rng.IntN(4) {
		sku := p.product().SKU
		has := func(l httpapi.CartLine) bool { return l.SKU == sku }
		if !slices.ContainsFunc(cart.Lines, has) {
			cart.Lines = append(cart.Lines, httpapi.CartLine{SKU: sku, Quantity: 1 + p.rng.IntN(4)})
		}
	}
	if p.oneIn(6) {
		cart.Coupon = "WELCOME"
	}
	return cart
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // not with the types used here
	}
	return b
}
