package orders

import (
	"errors"
	"sync"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
	"github.com/waymark-go/waymark/examples/shop/internal/kv"
	"github.com/waymark-go/waymark/examples/shop/internal/pricing"
)

// Stock knows how many of each item the shop has. Items are reserved before
// they are paid for and leave the stock when they are.
type Stock struct {
	table *kv.Table[int] // units on hand, of items ever sold

	mu     sync.Mutex
	levels map[string]*level
}

type level struct {
	onHand   int
	reserved int
}

func (l *level) available() int { return l.onHand - l.reserved }

// OpenStock returns the stock of products as the table has it or, for
// products that the table does not have, as they start out.
func OpenStock(table *kv.Table[int], products []catalog.Product) (*Stock, error) {
	s := &Stock{table: table, levels: make(map[string]*level, len(products))}
	for _, p := range products {
		s.levels[p.SKU] = &level{onHand: p.Stock}
	}
	err := table.Each(func(sku string, onHand int) error {
		s.levels[sku] = &level{onHand: onHand}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Available returns how many units of an item can be reserved.
func (s *Stock) Available(sku string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.levels[sku]; ok {
		return l.available()
	}
	return 0
}

// Reserve sets the units of all lines aside or, with an [*OutOfStockError],
// none. The reservation must be committed or released.
func (s *Stock) Reserve(lines ...pricing.Line) (*Reservation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &Reservation{stock: s}
	for _, line := range lines {
		l, ok := s.levels[line.SKU]
		if !ok {
			l = &level{}
		}
		if l.available() < line.Quantity {
			r.releaseLocked()
			return nil, &OutOfStockError{SKU: line.SKU, Want: line.Quantity, Available: l.available()}
		}
		l.reserved += line.Quantity
		r.lines = append(r.lines, line)
	}
	return r, nil
}

// A Reservation is units of stock set aside.
type Reservation struct {
	stock *Stock
	lines []pricing.Line // nil once committed or released
}

// Commit takes the units out of the stock.
func (r *Reservation) Commit() error {
	s := r.stock
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, line := range r.lines {
		l := s.levels[line.SKU]
		l.reserved -= line.Quantity
		l.onHand -= line.Quantity
		errs = append(errs, s.table.Put(line.SKU, l.onHand))
	}
	r.lines = nil
	return errors.Join(errs...)
}

// Release makes the units available again. It does nothing after Commit.
func (r *Reservation) Release() {
	r.stock.mu.Lock()
	defer r.stock.mu.Unlock()
	r.releaseLocked()
}

func (r *Reservation) releaseLocked() {
	for _, line := range r.lines {
		r.stock.levels[line.SKU].reserved -= line.Quantity
	}
	r.lines = nil
}
