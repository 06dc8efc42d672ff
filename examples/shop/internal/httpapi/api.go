// Package httpapi serves the shop over HTTP, with JSON bodies.
package httpapi

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
	"github.com/waymark-go/waymark/examples/shop/internal/orders"
	"github.com/waymark-go/waymark/examples/shop/internal/pricing"
)

const (
	defaultLimit = 10 // of search results
	maxLimit     = 50
	maxQuantity  = 99
	maxBody      = 64 << 10
)

// Shop is what the API serves.
type Shop struct {
	Catalog *catalog.Catalog
	Stock   *orders.Stock
	Orders  *orders.Service
	Placed  func(orders.Order) error // called with each new order
	Log     *slog.Logger
}

// A CartRequest is the body of a request for a quote.
type CartRequest struct {
	Lines  []CartLine `json:"lines"`
	Coupon string     `json:"coupon,omitempty"`
	Region string     `json:"region"`
}

// A CartLine is a quantity of one product.
type CartLine struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
}

// An OrderRequest is the body of a request to place an order.
type OrderRequest struct {
	CartRequest
	Card string `json:"card"`
}

// An ErrorReply is the body of a reply to a request that failed.
type ErrorReply struct {
	Error string `json:"error"`
}

// A ProductReply is the body of a reply to a request for a product.
type ProductReply struct {
	catalog.Product
	Available int `json:"available"`
}

// A SearchReply is the body of a reply to a search.
type SearchReply struct {
	Query   string          `json:"query"`
	Matches []catalog.Match `json:"matches"`
}

// A requestError reports a request that makes no sense.
type requestError struct{ msg string }

func (e *requestError) Error() string { return e.msg }

// api implements the routes.
type api struct{ Shop }

// New returns the API's handler.
func New(shop Shop) http.Handler {
	a := &api{Shop: shop}
	mux := http.NewServeMux()
	mux.Handle("GET /products/{sku}", a.handle(a.product))
	mux.Handle("GET /search", a.handle(a.search))
	mux.Handle("POST /quotes", a.handle(a.quote))
	mux.Handle("PUT /orders/{id}", a.handle(a.placeOrder))
	mux.Handle("GET /orders/{id}", a.handle(a.order))
	return Chain(mux, RequestID(), AccessLog(shop.Log), Recover(shop.Log), LimitBody(maxBody))
}

// handle adapts a handler that returns what to reply with, or an error.
func (a *api) handle(h func(*http.Request) (status int, body any, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, body, err := h(r)
		if err != nil {
			status, body = statusOf(err), ErrorReply{Error: err.Error()}
			if status == http.StatusInternalServerError {
				a.Log.Error("request failed", "id", requestID(r), "path", r.URL.Path, "err", err)
				body = ErrorReply{Error: http.StatusText(status)}
			}
		}
		if err := writeJSON(w, status, body); err != nil {
			a.Log.Debug("writing reply", "id", requestID(r), "err", err)
		}
	})
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	switch {
	case isA[*requestError](err):
		return http.StatusBadRequest
	case isA[*http.MaxBytesError](err):
		return http.StatusRequestEntityTooLarge
	case isA[*catalog.NotFoundError](err), errors.Is(err, orders.ErrNotFound):
		return http.StatusNotFound
	case isA[*pricing.UnknownRegionError](err):
		return http.StatusUnprocessableEntity
	case isA[*orders.OutOfStockError](err):
		return http.StatusConflict
	case isA[*orders.DeclinedError](err):
		return http.StatusPaymentRequired
	}
	return http.StatusInternalServerError
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func (a *api) product(r *http.Request) (int, any, error) {
	p, err := a.Catalog.Product(r.PathValue("sku"))
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, ProductReply{Product: p, Available: a.Stock.Available(p.SKU)}, nil
}

func (a *api) search(r *http.Request) (int, any, error) {
	query := r.URL.Query()
	limit, err := strconv.Atoi(cmp.Or(query.Get("limit"), strconv.Itoa(defaultLimit)))
	if err != nil || limit < 1 || limit > maxLimit {
		return 0, nil, &requestError{"limit must be a number from 1 to " + strconv.Itoa(maxLimit)}
	}
	text := query.Get("q")
	return http.StatusOK, SearchReply{Query: text, Matches: a.Catalog.Search(text, limit)}, nil
}

func (a *api) quote(r *http.Request) (int, any, error) {
	req, err := readJSON[CartRequest](r)
	if err != nil {
		return 0, nil, err
	}
	cart, err := a.cart(req)
	if err != nil {
		return 0, nil, err
	}
	q, err := a.Orders.Quote(cart)
	return http.StatusOK, q, err
}

func (a *api) placeOrder(r *http.Request) (int, any, error) {
	req, err := readJSON[OrderRequest](r)
	if err != nil {
		return 0, nil, err
	}
	cart, err := a.cart(req.CartRequest)
	if err != nil {
		return 0, nil, err
	}
	o, isNew, err := a.Orders.Place(r.Context(), r.PathValue("id"), orders.Draft{Cart: cart, Card: req.Card})
	if err != nil {
		return 0, nil, err
	}
	if !isNew {
		return http.StatusOK, o, nil
	}
	return http.StatusCreated, o, a.Placed(o)
}

func (a *api) order(r *http.Request) (int, any, error) {
	o, err := a.Orders.Get(r.PathValue("id"))
	return http.StatusOK, o, err
}

// cart looks up the products of a requested cart.
func (a *api) cart(req CartRequest) (pricing.Cart, error) {
	if len(req.Lines) == 0 {
		return pricing.Cart{}, &requestError{"the cart is empty"}
	}
	cart := pricing.Cart{Coupon: req.Coupon, Region: req.Region}
	for _, l := range req.Lines {
		if l.Quantity < 1 || l.Quantity > maxQuantity {
			return pricing.Cart{}, &requestError{"quantity must be from 1 to " + strconv.Itoa(maxQuantity)}
		}
		p, err := a.Catalog.Product(l.SKU)
		if err != nil {
			return pricing.Cart{}, err
		}
		cart.Lines = append(cart.Lines, pricing.Line{Item: p.Item, Quantity: l.Quantity})
	}
	return cart, nil
}
