package catalog

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

func TestParseMoney(t *testing.T) {
	tests := []struct {
		in   string
		want Money
		ok   bool
	}{
		{"12", 1200, true},
		{"12.5", 1250, true},
		{"0.05", 5, true},
		{"", 0, false},
		{".50", 0, false},
		{"1.", 0, false},
		{"1.234", 0, false},
		{"1.-5", 0, false},
		{"-1", 0, false},
		{"+1", 0, false},
		{"99999999999999999999", 0, false},
	}
	for _, tt := range tests {
		got, err := ParseMoney(tt.in)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("ParseMoney(%q) = %v, %v, want %v, ok %t", tt.in, got, err, tt.want, tt.ok)
		}
	}
}

func TestMoneyText(t *testing.T) {
	for m, want := range map[Money]string{0: `"0.00"`, 7: `"0.07"`, 123456: `"1234.56"`} {
		b, err := json.Marshal(m)
		if err != nil || string(b) != want {
			t.Errorf("Marshal(%d) = %s, %v, want %s", m, b, err, want)
		}
		var back Money
		if err := json.Unmarshal(b, &back); err != nil || back != m {
			t.Errorf("Unmarshal(%s) = %d, %v, want %d", b, back, err, m)
		}
	}
}

func TestRate(t *testing.T) {
	tests := []struct {
		rate Rate
		of   Money
		want Money
	}{
		{1000, 1234, 123},
		{750, 20, 2}, // 1.5 cents
		{10000, 999, 999},
		{0, 999, 0},
	}
	for _, tt := range tests {
		if got := tt.rate.Of(tt.of); got != tt.want {
			t.Errorf("(%d).Of(%v) = %v, want %v", tt.rate, tt.of, got, tt.want)
		}
	}
}

func TestSample(t *testing.T) {
	a, b, other := Sample(120, 1), Sample(120, 1), Sample(120, 2)
	if !reflect.DeepEqual(a, b) {
		t.Error("the same seed gave different products")
	}
	if reflect.DeepEqual(a, other) {
		t.Error("different seeds gave the same products")
	}
	limited := 0
	for _, p := range a {
		if p.Price <= 0 || p.Grams <= 0 || p.Stock <= 0 || p.Name == "" || p.Description == "" {
			t.Errorf("incomplete product: %+v", p)
		}
		if p.Limited {
			limited++
		}
	}
	if limited != 2 {
		t.Errorf("%d limited products, want 2", limited)
	}
}

func TestCatalog(t *testing.T) {
	products := Sample(60, 1)
	c, err := New(products...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range products {
		if got, err := c.Product(want.SKU); err != nil || got != want {
			t.Fatalf("Product(%s) = %+v, %v", want.SKU, got, err)
		}
		matches := c.Search(want.Name, 5)
		if len(matches) == 0 || matches[0].Name != want.Name {
			t.Errorf("Search(%q) = %+v, want the product first", want.Name, matches)
		}
	}
	_, err = c.Product("XX-0000")
	if missing, ok := errors.AsType[*NotFoundError](err); !ok || missing.SKU != "XX-0000" {
		t.Errorf("error = %v, want a NotFoundError", err)
	}
	if _, err := New(products[0], products[0]); err == nil {
		t.Error("New accepted a SKU twice")
	}
	if all := c.Products(); len(all) != len(products) {
		t.Errorf("%d products, want %d", len(all), len(products))
	}
}
