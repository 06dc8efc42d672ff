package catalog

import (
	"fmt"
	"strconv"
	"strings"
)

// Money is an amount of the shop's currency, in cents, that is not negative.
type Money int64

// ParseMoney parses an amount such as "12", "12.5" or "0.99".
func ParseMoney(s string) (Money, error) {
	whole, frac, point := strings.Cut(s, ".")
	cents, err := strconv.ParseUint(whole+(frac + "00")[:2], 10, 62)
	if err != nil || whole == "" || point && frac == "" || len(frac) > 2 {
		return 0, fmt.Errorf("catalog: %q is not an amount of money", s)
	}
	return Money(cents), nil
}

// String returns the amount with two decimals, such as "12.50".
func (m Money) String() string { return fmt.Sprintf("%d.%02d", m/100, m%100) }

// MarshalText implements [encoding.TextMarshaler].
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (m *Money) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMoney(string(text))
	return err
}

// Times returns n times the amount.
func (m Money) Times(n int) Money { return m * Money(n) }

// A Rate is a proportion in basis points: 10,000 is the whole.
type Rate int64

// Of returns the proportion r of m, rounded to the nearest cent.
func (r Rate) Of(m Money) Money { return (m*Money(r) + 5000) / 10000 }
