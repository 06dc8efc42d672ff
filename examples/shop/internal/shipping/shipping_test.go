package shipping

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
	"github.com/waymark-go/waymark/examples/shop/internal/kv"
	"github.com/waymark-go/waymark/examples/shop/internal/orders"
	"github.com/waymark-go/waymark/examples/shop/internal/pricing"
)

func TestPool(t *testing.T) {
	var done, failed atomic.Int64
	p := NewPool(t.Context(), Config[int]{
		Workers: 3,
		Queue:   2,
		Handle: func(_ context.Context, n int) error {
			switch {
			case n%10 == 3:
				return errors.New("no threes")
			case n%10 == 7:
				panic("no sevens")
			}
			done.Add(1)
			return nil
		},
		OnError: func(int, error) { failed.Add(1) },
	})
	const jobs = 100
	for n := range jobs {
		if err := p.Submit(n); err != nil {
			t.Fatal(err)
		}
	}
	p.Wait()
	if got, want := done.Load(), int64(jobs*8/10); got != want {
		t.Errorf("%d jobs done, want %d", got, want)
	}
	if got, want := failed.Load(), int64(jobs*2/10); got != want {
		t.Errorf("%d jobs failed, want %d", got, want)
	}
	p.Close()
	if err := p.Submit(1); !errors.Is(err, ErrClosed) {
		t.Errorf("Submit after Close: %v", err)
	}
}

// TestPoolClose closes a pool that is at work.
func TestPoolClose(t *testing.T) {
	var done atomic.Int64
	p := NewPool(t.Context(), Config[struct{}]{
		Workers: 2,
		Handle:  func(context.Context, struct{}) error { done.Add(1); return nil },
	})
	var taken atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for p.Submit(struct{}{}) == nil {
				taken.Add(1)
			}
		})
	}
	for done.Load() < 100 {
		runtime.Gosched()
	}
	p.Close()
	wg.Wait()
	if done.Load() != taken.Load() {
		t.Errorf("%d jobs taken, %d done", taken.Load(), done.Load())
	}
}

func unit(sku string, grams, quantity int) pricing.Line {
	return pricing.Line{Item: catalog.Item{SKU: sku, Grams: grams}, Quantity: quantity}
}

func TestPack(t *testing.T) {
	tests := []struct {
		name  string
		lines []pricing.Line
		want  [][]string
	}{
		{"nothing", nil, nil},
		{"one parcel", []pricing.Line{unit("a", 1000, 2), unit("b", 3000, 1)}, [][]string{{"b", "a", "a"}}},
		{"filling up", []pricing.Line{unit("a", 1500, 2), unit("b", 3500, 2)}, [][]string{{"b", "a"}, {"b", "a"}}},
		{"too heavy", []pricing.Line{unit("a", 9000, 1), unit("b", 100, 1)}, [][]string{{"a"}, {"b"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got [][]string
			for _, p := range Pack(tt.lines...) {
				got = append(got, p.SKUs)
			}
			if !slices.EqualFunc(got, tt.want, slices.Equal) {
				t.Errorf("parcels = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestShip(t *testing.T) {
	service := placeOrder(t, "o-1")
	depot := NewDepot(service)
	if err := depot.Ship(t.Context(), "o-1"); err != nil {
		t.Fatal(err)
	}
	o, err := service.Get("o-1")
	if err != nil || o.State != orders.Shipped || !slices.Equal(o.Tracking, []string{"o-1/1"}) {
		t.Errorf("order = %+v, %v, want it shipped in one parcel", o, err)
	}
	err = depot.Ship(t.Context(), "o-1")
	if _, ok := errors.AsType[*orders.TransitionError](err); !ok {
		t.Errorf("shipping again: %v, want a TransitionError", err)
	}
	if err := depot.Ship(t.Context(), "o-2"); !errors.Is(err, orders.ErrNotFound) {
		t.Errorf("shipping an unknown order: %v", err)
	}
}

// placeOrder returns a service with one order.
func placeOrder(t *testing.T, id string) *orders.Service {
	t.Helper()
	store, err := kv.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	engine, err := pricing.NewEngine("", pricing.TaxTable{"IE": {}})
	if err != nil {
		t.Fatal(err)
	}
	item := catalog.Item{SKU: "a", Price: 100, Grams: 100}
	stock, err := orders.OpenStock(kv.NewTable[int](store, "stock"), []catalog.Product{{Item: item, Stock: 9}})
	if err != nil {
		t.Fatal(err)
	}
	service := orders.NewService(kv.NewTable[orders.Order](store, "order"), engine, stock, orders.StubGateway{})
	cart := pricing.Cart{Lines: []pricing.Line{{Item: item, Quantity: 3}}, Region: "IE"}
	if _, _, err := service.Place(t.Context(), id, orders.Draft{Cart: cart, Card: orders.CardGood}); err != nil {
		t.Fatal(err)
	}
	return service
}
