package httpapi

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
	"github.com/waymark-go/waymark/examples/shop/internal/kv"
	"github.com/waymark-go/waymark/examples/shop/internal/orders"
	"github.com/waymark-go/waymark/examples/shop/internal/pricing"
)

func newHandler(t *testing.T) http.Handler {
	t.Helper()
	product := catalog.Product{
		Item:        catalog.Item{SKU: "KI-1", Name: "Copper kettle", Category: "kitchen", Price: 2500, Grams: 900},
		Description: "Boils water.",
		Stock:       5,
	}
	c, err := catalog.New(product)
	if err != nil {
		t.Fatal(err)
	}
	store, err := kv.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	stock, err := orders.OpenStock(kv.NewTable[int](store, "stock"), c.Products())
	if err != nil {
		t.Fatal(err)
	}
	engine, err := pricing.NewEngine("", pricing.TaxTable{"UK": {Standard: 2000}})
	if err != nil {
		t.Fatal(err)
	}
	return New(Shop{
		Catalog: c,
		Stock:   stock,
		Orders:  orders.NewService(kv.NewTable[orders.Order](store, "order"), engine, stock, orders.StubGateway{}),
		Placed:  func(orders.Order) error { return nil },
		Log:     slog.New(slog.DiscardHandler),
	})
}

func TestRoutes(t *testing.T) {
	order := func(quantity int, region, card string) string {
		return fmt.Sprintf(`{"lines":[{"sku":"KI-1","quantity":%d}],"region":%q,"card":%q}`, quantity, region, card)
	}
	tests := []struct {
		request, body string
		status        int
		reply         string // a part of it
	}{
		{"GET /products/KI-1", "", 200, `"available":5`},
		{"GET /products/XX-1", "", 404, `no product`},
		{"GET /search?q=copper+kettles", "", 200, `"snippet":"**Copper** **kettle**. Boils water"`},
		{"GET /search?q=bench", "", 200, `"matches":[]`},
		{"GET /search?q=kettle&limit=0", "", 400, `limit must be`},
		{"POST /quotes", `{"lines":[{"sku":"KI-1","quantity":2}],"region":"UK"}`, 200, `"total":"60.00"`},
		{"POST /quotes", `{"lines":[],"region":"UK"}`, 400, `cart is empty`},
		{"POST /quotes", `{"lines":[{"sku":"KI-1","quantity":0}],"region":"UK"}`, 400, `quantity must be`},
		{"POST /quotes", `{"lines":[{"sku":"XX-1","quantity":1}],"region":"UK"}`, 404, `no product`},
		{"POST /quotes", `{"lines":[{"sku":"KI-1","quantity":1}],"region":"?"}`, 422, `no tax rates`},
		{"POST /quotes", `{"what":1}`, 400, `malformed body`},
		{"POST /quotes", `{"coupon":"` + strings.Repeat("x", maxBody) + `"}`, 413, `too large`},
		{"GET /orders/o-1", "", 404, `no such order`},
		{"PUT /orders/o-1", order(6, "UK", orders.CardGood), 409, `5 in stock`},
		{"PUT /orders/o-1", order(1, "UK", orders.CardDeclined), 402, `insufficient funds`},
		{"PUT /orders/o-1", order(1, "UK", orders.CardBroken), 500, `Internal Server Error`},
		{"PUT /orders/o-1", order(2, "UK", orders.CardGood), 201, `"state":"placed"`},
		{"PUT /orders/o-1", order(2, "UK", orders.CardGood), 200, `"state":"placed"`},
		{"GET /orders/o-1", "", 200, `"total":"60.00"`},
		{"GET /products/KI-1", "", 200, `"available":3`},
		{"DELETE /orders/o-1", "", 405, ``},
		{"GET /nowhere", "", 404, ``},
	}
	h := newHandler(t)
	for _, tt := range tests {
		method, target, _ := strings.Cut(tt.request, " ")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(tt.body)))
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.reply) {
			t.Errorf("%s %.80s: %d %s, want %d with %s", tt.request, tt.body, w.Code, w.Body, tt.status, tt.reply)
		}
		if w.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: no request ID", tt.request)
		}
	}
}

func TestChain(t *testing.T) {
	var b strings.Builder
	trace := func(name string) Middleware {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b.WriteString("<" + name)
				next.ServeHTTP(w, r)
				b.WriteString(name + ">")
			})
		}
	}
	h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { b.WriteString("-") })
	Chain(h, trace("a"), trace("b"), trace("c")).ServeHTTP(nil, nil)
	if got, want := b.String(), "<a<b<c-c>b>a>"; got != want {
		t.Errorf("order = %s, want %s", got, want)
	}
}

func TestRecoverAfterWrite(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `"partial"`)
		panic("too late")
	})
	w := httptest.NewRecorder()
	Chain(h, Recover(slog.New(slog.DiscardHandler))).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	var body string
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body != "partial" {
		t.Errorf("body = %s, want what was written before the panic only", w.Body)
	}
}

func TestRecoverAbort(t *testing.T) {
	h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("recovered %v, want http.ErrAbortHandler", v)
		}
	}()
	Chain(h, Recover(slog.New(slog.DiscardHandler))).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}
