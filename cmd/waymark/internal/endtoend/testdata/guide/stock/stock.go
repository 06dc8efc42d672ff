// Package stock keeps count of what a shop has.
package stock

import "fmt"

// A Shelf holds pieces of products.
type Shelf struct{ pieces map[string]int }

// Put adds n pieces of a product.
func (s *Shelf) Put(product string, n int) {
	if s.pieces == nil {
		s.pieces = make(map[string]int)
	}
	s.pieces[product] += n
}

// Take takes n pieces of a product, or fails if there are fewer.
func (s *Shelf) Take(product string, n int) error {
	if !s.has(product, n) {
		return fmt.Errorf("%d %s wanted, there are %d", n, product, s.pieces[product])
	}
	s.pieces[product] -= n
	return nil
}

func (s *Shelf) has(product string, n int) bool { return s.pieces[product] > n }

// TakeAll takes all of an order, or nothing.
func (s *Shelf) TakeAll(order map[string]int, products []string) error {
	for i, product := range products {
		if err := s.Take(product, order[product]); err != nil {
			for _, taken := range products[:i] {
				s.Put(taken, order[taken])
			}
			return err
		}
	}
	return nil
}
