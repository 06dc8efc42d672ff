package orders

import (
	"context"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
)

// A Gateway charges payment cards.
type Gateway interface {
	// Charge takes amount from the card and returns a receipt. The reference
	// is what the charge is for. The error is a [*DeclinedError] if the card's
	// issuer refuses.
	Charge(ctx context.Context, card, reference string, amount catalog.Money) (receipt string, err error)
}

// Cards for [StubGateway].
const (
	CardGood     = "4242424242424242"
	CardDeclined = "4000000000000002"
	CardBroken   = "4000000000000119"
)

// A StubGateway is a [Gateway] for testing. It accepts [CardGood], panics on
// [CardBroken], as a careless client library would, and declines other cards.
type StubGateway struct{}

// Charge implements [Gateway].
func (StubGateway) Charge(ctx context.Context, card, reference string, amount catalog.Money) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	switch card {
	case CardGood:
		return "receipt for " + amount.String() + ", " + reference, nil
	case CardBroken:
		panic("gateway: reply out of sequence")
	}
	return "", &DeclinedError{Reason: "insufficient funds"}
}
