package orders

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/waymark-go/waymark/examples/shop/internal/cache"
	"github.com/waymark-go/waymark/examples/shop/internal/kv"
	"github.com/waymark-go/waymark/examples/shop/internal/pricing"
)

// Service takes orders. It is safe for concurrent use.
type Service struct {
	table   *kv.Table[Order]
	recent  *cache.LRU[string, Order]
	engine  *pricing.Engine
	stock   *Stock
	gateway Gateway
	locks   stripes
}

// NewService returns a service that keeps its orders in table.
func NewService(table *kv.Table[Order], engine *pricing.Engine, stock *Stock, gateway Gateway) *Service {
	return &Service{
		table:   table,
		recent:  cache.New[string, Order](1024),
		engine:  engine,
		stock:   stock,
		gateway: gateway,
		locks:   stripes{seed: maphash.MakeSeed()},
	}
}

// Quote prices a cart without ordering it.
func (s *Service) Quote(cart pricing.Cart) (pricing.Quote, error) {
	return s.engine.Quote(cart)
}

// Place places an order under an ID which the customer chose. If there is an
// order with that ID already, Place returns it and reports that it is not
// new. Errors include [*pricing.UnknownRegionError], [*OutOfStockError] and
// [*DeclinedError].
func (s *Service) Place(ctx context.Context, id string, d Draft) (o Order, isNew bool, err error) {
	defer s.locks.lock(id)()

	o, err = s.Get(id)
	if !errors.Is(err, ErrNotFound) {
		return o, false, err
	}
	quote, err := s.engine.Quote(d.Cart)
	if err != nil {
		return Order{}, false, err
	}
	reservation, err := s.stock.Reserve(d.Lines...)
	if err != nil {
		return Order{}, false, err
	}
	defer reservation.Release() // unless committed, and also if the gateway panics

	receipt, err := s.gateway.Charge(ctx, d.Card, id, quote.Total)
	if err != nil {
		return Order{}, false, err
	}
	o = Order{
		ID:       id,
		Cart:     d.Cart,
		Quote:    quote,
		State:    Placed,
		Receipt:  receipt,
		PlacedAt: time.Now().UTC(),
	}
	if err := errors.Join(reservation.Commit(), s.save(o)); err != nil {
		return Order{}, false, fmt.Errorf("orders: saving order %s: %w", id, err)
	}
	return o, true, nil
}

// Get returns an order, or [ErrNotFound].
func (s *Service) Get(id string) (Order, error) {
	o, err := s.recent.GetOrLoad(id, func() (Order, error) { return s.table.Get(id) })
	if errors.Is(err, kv.ErrNotFound) {
		return Order{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return o, err
}

// Advance moves an order on to the next state, with the given changes. The
// error is a [*TransitionError] if it is not in the state before that.
func (s *Service) Advance(id string, to State, changes ...func(*Order)) error {
	defer s.locks.lock(id)()

	o, err := s.Get(id)
	if err != nil {
		return err
	}
	if after, ok := next[o.State]; !ok || after != to {
		return &TransitionError{ID: id, From: o.State, To: to}
	}
	o.State = to
	for _, change := range changes {
		change(&o)
	}
	return s.save(o)
}

// Each calls fn with each order, in order of ID, until it fails.
func (s *Service) Each(fn func(Order) error) error {
	return s.table.Each(func(_ string, o Order) error { return fn(o) })
}

func (s *Service) save(o Order) error {
	if err := s.table.Put(o.ID, o); err != nil {
		s.recent.Remove(o.ID)
		return err
	}
	s.recent.Add(o.ID, o)
	return nil
}

// stripes is a fixed number of locks shared among any number of IDs.
type stripes struct {
	seed  maphash.Seed
	locks [64]sync.Mutex
}

// lock locks id and returns the function that unlocks it.
func (s *stripes) lock(id string) (unlock func()) {
	mu := &s.locks[maphash.String(s.seed, id)%uint64(len(s.locks))]
	mu.Lock()
	return mu.Unlock
}
