package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
	"github.com/waymark-go/waymark/examples/shop/internal/httpapi"
	"github.com/waymark-go/waymark/examples/shop/internal/kv"
	"github.com/waymark-go/waymark/examples/shop/internal/orders"
	"github.com/waymark-go/waymark/examples/shop/internal/pricing"
	"github.com/waymark-go/waymark/examples/shop/internal/shipping"
)

const (
	productCount    = 400
	packers         = 2
	shippingQueue   = 128
	storeMinGarbage = 128 << 10
)

// rules are the shop's discounts.
const rules = `
	stack-of-books 10%   when category == "books" and quantity >= 3
	larder         8%    when category == "food" and (quantity >= 4 or price >= 20)
	garden-season  12.5% when category == "garden" and not region == "UK"
	big-basket     7.5%  when subtotal >= 500 and lines > 1
	welcome        5%    when coupon == "WELCOME"
`

var taxes = pricing.TaxTable{
	"UK": {Standard: 2000, Reduced: map[string]catalog.Rate{"books": 0, "food": 0}},
	"IE": {Standard: 2300, Reduced: map[string]catalog.Rate{"books": 0, "food": 0}},
	"DE": {Standard: 1900, Reduced: map[string]catalog.Rate{"books": 700, "food": 700}},
	"FR": {Standard: 2000, Reduced: map[string]catalog.Rate{"books": 550, "food": 550}},
}

// An app is the shop's parts, put together.
type app struct {
	store   *kv.Store
	catalog *catalog.Catalog
	orders  *orders.Service
	pool    *shipping.Pool[string] // of IDs of orders to ship
	handler http.Handler
}

// openApp opens a shop that keeps its data in dir, with products made up from
// seed. It stops shipping orders when ctx is done.
func openApp(ctx context.Context, dir string, seed uint64, log *slog.Logger) (_ *app, err error) {
	a := &app{}
	if a.catalog, err = catalog.New(catalog.Sample(productCount, seed)...); err != nil {
		return nil, err
	}
	engine, err := pricing.NewEngine(rules, taxes)
	if err != nil {
		return nil, err
	}
	a.store, err = kv.Open(dir, kv.WithMinGarbage(storeMinGarbage))
	if err != nil {
		return nil, err
	}
	stock, err := orders.OpenStock(kv.NewTable[int](a.store, "stock"), a.catalog.Products())
	if err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	a.orders = orders.NewService(kv.NewTable[orders.Order](a.store, "order"), engine, stock, orders.StubGateway{})
	a.pool = shipping.NewPool(ctx, shipping.Config[string]{
		Workers: packers,
		Queue:   shippingQueue,
		Handle:  shipping.NewDepot(a.orders).Ship,
		OnError: func(id string, err error) { log.Error("order not shipped", "order", id, "err", err) },
	})
	a.handler = httpapi.New(httpapi.Shop{
		Catalog: a.catalog,
		Stock:   stock,
		Orders:  a.orders,
		Placed:  func(o orders.Order) error { return a.pool.Submit(o.ID) },
		Log:     log,
	})
	return a, nil
}

// close ships what is still to be shipped and closes the store.
func (a *app) close() error {
	a.pool.Close()
	return a.store.Close()
}

// A tally sums up orders.
type tally struct {
	placed, shipped int
	revenue         catalog.Money // without tax
}

func (t tally) String() string {
	return fmt.Sprintf("%d placed, %d shipped, revenue %v", t.placed, t.shipped, t.revenue)
}

// tally sums up the orders in the store.
func (a *app) tally() (tally, error) {
	var t tally
	err := a.orders.Each(func(o orders.Order) error {
		t.placed++
		t.revenue += o.Net
		if o.State == orders.Shipped {
			t.shipped++
		}
		return nil
	})
	return t, err
}
