package orders

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
	"github.com/waymark-go/waymark/examples/shop/internal/kv"
	"github.com/waymark-go/waymark/examples/shop/internal/pricing"
)

var products = []catalog.Product{
	{Item: catalog.Item{SKU: "KI-1", Category: "kitchen", Price: 2500}, Stock: 10},
	{Item: catalog.Item{SKU: "BO-1", Category: "books", Price: 1000}, Stock: 2},
}

func line(product, quantity int) pricing.Line {
	return pricing.Line{Item: products[product].Item, Quantity: quantity}
}

func draft(card string, lines ...pricing.Line) Draft {
	return Draft{Cart: pricing.Cart{Lines: lines, Region: "UK"}, Card: card}
}

func newService(t *testing.T, dir string) (*Service, *kv.Store) {
	t.Helper()
	store, err := kv.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	engine, err := pricing.NewEngine("", pricing.TaxTable{"UK": {Standard: 2000}})
	if err != nil {
		t.Fatal(err)
	}
	stock, err := OpenStock(kv.NewTable[int](store, "stock"), products)
	if err != nil {
		t.Fatal(err)
	}
	return NewService(kv.NewTable[Order](store, "order"), engine, stock, StubGateway{}), store
}

func TestPlace(t *testing.T) {
	tests := []struct {
		name  string
		draft Draft
		check func(error) bool // nil if the order must succeed
		left  [2]int           // in stock afterwards
	}{
		{"good", draft(CardGood, line(0, 2), line(1, 1)), nil, [2]int{8, 1}},
		{"out of stock", draft(CardGood, line(0, 2), line(1, 3)), is[*OutOfStockError], [2]int{10, 2}},
		{"same item twice", draft(CardGood, line(1, 2), line(1, 1)), is[*OutOfStockError], [2]int{10, 2}},
		{"unknown item", draft(CardGood, pricing.Line{Quantity: 1}), is[*OutOfStockError], [2]int{10, 2}},
		{"declined", draft(CardDeclined, line(0, 1)), is[*DeclinedError], [2]int{10, 2}},
		{"no card", draft("", line(0, 1)), is[*DeclinedError], [2]int{10, 2}},
		{"unknown region", Draft{Cart: pricing.Cart{Region: "?"}}, is[*pricing.UnknownRegionError], [2]int{10, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := newService(t, t.TempDir())
			_, isNew, err := s.Place(t.Context(), "o-1", tt.draft)
			if tt.check == nil {
				if err != nil || !isNew {
					t.Fatalf("Place: new %t, %v", isNew, err)
				}
			} else {
				if !tt.check(err) {
					t.Errorf("Place: %T: %v", err, err)
				}
				if _, err := s.Get("o-1"); !errors.Is(err, ErrNotFound) {
					t.Errorf("Get: %v, want ErrNotFound", err)
				}
			}
			for i, p := range products {
				if got := s.stock.Available(p.SKU); got != tt.left[i] {
					t.Errorf("%d of %s available, want %d", got, p.SKU, tt.left[i])
				}
			}
		})
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func TestPlaceTwice(t *testing.T) {
	s, _ := newService(t, t.TempDir())
	first, _, err := s.Place(t.Context(), "o-1", draft(CardGood, line(0, 1)))
	if err != nil {
		t.Fatal(err)
	}
	again, isNew, err := s.Place(t.Context(), "o-1", draft(CardGood, line(0, 5)))
	if err != nil || isNew || !reflect.DeepEqual(again, first) {
		t.Errorf("second Place = %+v, new %t, %v, want %+v", again, isNew, err, first)
	}
}

func TestGatewayPanic(t *testing.T) {
	s, _ := newService(t, t.TempDir())
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		s.Place(context.Background(), "o-1", draft(CardBroken, line(0, 3)))
	}()
	if got := s.stock.Available("KI-1"); got != 10 {
		t.Errorf("%d available after a panic, want all 10", got)
	}
	if _, _, err := s.Place(t.Context(), "o-1", draft(CardGood, line(0, 3))); err != nil {
		t.Errorf("Place after a panic: %v", err)
	}
}

func TestLifecycle(t *testing.T) {
	dir := t.TempDir()
	s, store := newService(t, dir)
	if err := s.Advance("o-1", Packed); !errors.Is(err, ErrNotFound) {
		t.Errorf("packing before placing: %v", err)
	}
	if _, _, err := s.Place(t.Context(), "o-1", draft(CardGood, line(0, 4))); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		to State
		ok bool
	}{{Shipped, false}, {Placed, false}, {Packed, true}, {Packed, false}, {Shipped, true}, {"", false}}
	for _, step := range steps {
		err := s.Advance("o-1", step.to, func(o *Order) { o.Tracking = []string{"T1", "T2"} })
		if step.ok != (err == nil) || !step.ok && !is[*TransitionError](err) {
			t.Errorf("Advance to %s: %v, want ok %t", step.to, err, step.ok)
		}
	}
	want, err := s.Get("o-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}

	s, _ = newService(t, dir)
	got, err := s.Get("o-1")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("after reopening: %+v, %v\nwant %+v", got, err, want)
	}
	if got.State != Shipped || got.Total != 12000 || len(got.Tracking) != 2 {
		t.Errorf("order = %+v", got)
	}
	if got := s.stock.Available("KI-1"); got != 6 {
		t.Errorf("%d available after reopening, want 6", got)
	}
}

func TestConcurrentPlace(t *testing.T) {
	s, _ := newService(t, t.TempDir())
	var placed atomic.Int64
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			id := string('a' + rune(i%8)) // each ID twice
			_, isNew, err := s.Place(t.Context(), id, draft(CardGood, line(1, 1)))
			if err != nil && !is[*OutOfStockError](err) {
				t.Error(err)
			}
			if isNew {
				placed.Add(1)
			}
		})
	}
	wg.Wait()
	if placed.Load() != 2 || s.stock.Available("BO-1") != 0 {
		t.Errorf("%d orders placed, %d left, want 2 and 0", placed.Load(), s.stock.Available("BO-1"))
	}
}
