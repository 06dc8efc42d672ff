// Package orders takes orders: it prices them, reserves stock, charges the
// customer's card and keeps the orders in a store.
package orders

import (
	"errors"
	"fmt"
	"time"

	"github.com/waymark-go/waymark/examples/shop/internal/pricing"
)

// A State is how far an order has come.
type State string

// The states of an order, in the order it goes through them.
const (
	Placed  State = "placed"
	Packed  State = "packed"
	Shipped State = "shipped"
)

// next is the state that follows each.
var next = map[State]State{Placed: Packed, Packed: Shipped}

// An Order is an order that has been placed and paid. Orders are values:
// what their fields refer to is not changed once an order is placed.
type Order struct {
	ID string `json:"id"`
	pricing.Cart
	pricing.Quote
	State    State     `json:"state"`
	Receipt  string    `json:"receipt"`
	Tracking []string  `json:"tracking,omitempty"` // of the parcels, once packed
	PlacedAt time.Time `json:"placedAt"`
}

// A Draft is an order that a customer wants to place.
type Draft struct {
	pricing.Cart
	Card string // number of the payment card
}

// ErrNotFound is returned for an order that was never placed.
var ErrNotFound = errors.New("orders: no such order")

// A TransitionError reports an order that cannot go from the state it is in
// to another.
type TransitionError struct {
	ID       string
	From, To State
}

func (e *TransitionError) Error() string {
	return fmt.Sprintf("orders: order %s cannot become %s, it is %s", e.ID, e.To, e.From)
}

// An OutOfStockError reports an item of which there is too little in stock.
type OutOfStockError struct {
	SKU       string
	Want      int
	Available int
}

func (e *OutOfStockError) Error() string {
	return fmt.Sprintf("orders: %d of %s wanted, %d in stock", e.Want, e.SKU, e.Available)
}

// A DeclinedError reports a payment that the card's issuer refused.
type DeclinedError struct{ Reason string }

func (e *DeclinedError) Error() string {
	return "orders: payment declined: " + e.Reason
}
