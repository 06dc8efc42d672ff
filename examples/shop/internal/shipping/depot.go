// Package shipping packs paid orders into parcels and sends them off.
package shipping

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/waymark-go/waymark/examples/shop/internal/orders"
	"github.com/waymark-go/waymark/examples/shop/internal/pricing"
)

// parcelGrams is the most that a parcel may weigh, unless a single unit is
// heavier.
const parcelGrams = 5000

// A Parcel is a number of units that are shipped together.
type Parcel struct {
	Grams int
	SKUs  []string // one for each unit
}

// A Depot ships orders.
type Depot struct {
	orders *orders.Service
}

// NewDepot returns a depot that ships the orders of s.
func NewDepot(s *orders.Service) *Depot { return &Depot{orders: s} }

// Ship packs an order and sends it off.
func (d *Depot) Ship(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o, err := d.orders.Get(id)
	if err != nil {
		return err
	}
	parcels := Pack(o.Lines...)
	err = d.orders.Advance(id, orders.Packed, func(o *orders.Order) {
		for i := range parcels {
			o.Tracking = append(o.Tracking, fmt.Sprintf("%s/%d", id, i+1))
		}
	})
	if err != nil {
		return err
	}
	return d.orders.Advance(id, orders.Shipped)
}

// Pack distributes the units of lines over as few parcels as it easily can. The
// heaviest units come first, each into the first parcel with room.
func Pack(lines ...pricing.Line) []Parcel {
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b pricing.Line) int { return cmp.Compare(b.Grams, a.Grams) })

	var parcels []Parcel
	for _, line := range lines {
		hasRoom := func(p Parcel) bool { return p.Grams+line.Grams <= parcelGrams }
		for range line.Quantity {
			i := slices.IndexFunc(parcels, hasRoom)
			if i < 0 {
				i = len(parcels)
				parcels = append(parcels, Parcel{})
			}
			parcels[i].Grams += line.Grams
			parcels[i].SKUs = append(parcels[i].SKUs, line.SKU)
		}
	}
	return parcels
}
