package catalog

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Stock of sample products.
const (
	ampleStock   = 5000
	limitedStock = 6
	limitedEvery = 50 // one product in so many is limited
)

// family is a category of sample products.
type family struct {
	category   string
	nouns      []string
	adjectives []string
	low, high  Money // prices
	grams      int
}

var families = []family{
	{"books", words("atlas cookbook novel almanac biography thesaurus"), words("illustrated pocket annotated abridged"), 800, 6000, 600},
	{"kitchen", words("kettle skillet teapot colander cafetière grater"), words("copper enamel cast-iron double-walled"), 1200, 14000, 1400},
	{"garden", words("trowel lantern bench trellis hammock planter"), words("oak galvanised folding weatherproof"), 900, 22000, 3200},
	{"audio", words("headphones turntable amplifier microphone speaker radio"), words("wireless studio valve portable"), 3500, 48000, 1800},
	{"toys", words("kite puzzle robot marionette spinning-top dominoes"), words("wooden painted clockwork magnetic"), 500, 7000, 450},
	{"food", words("marmalade espresso chutney chocolate olives crème-brûlée"), words("organic smoked candied jalapeño"), 300, 2500, 350},
}

var (
	makers   = words("Ardley Bexhill Corran Dunmore Elstow Farrant Garrick Holme")
	colours  = words("slate ochre indigo crimson ivory moss amber charcoal")
	openings = []string{
		"A %s %s from %s's workshop, finished in %s.",
		"This %s %s is made by %s and comes in %s.",
		"The %s %s that %s is known for, now in %s.",
	}
	remarks = []string{
		"Checked by hand before it leaves the workshop, and repaired free of charge for ten years.",
		"Customers tell us that it lasts for decades and makes a welcome present at weddings and birthdays.",
		"Packed without plastics in boxes that can be reused, flattened or composted with garden waste.",
		"Designed for small kitchens, busy families and travellers who dislike heavy luggage.",
		"Pairs well with the other pieces of the series, which share their fittings and colours.",
		"Winner of several design prizes, among them the museum's medal for everyday objects.",
		"Each one carries the maker's mark, a serial number and the dates of its inspections.",
		"Easily cleaned with warm water and a soft brush; do not use abrasive powders or bleaches.",
	}
)

func words(s string) []string { return strings.Fields(s) }

// Sample returns n made-up products, the same ones for the same seed.
func Sample(n int, seed uint64) []Product {
	rng := rand.New(rand.NewPCG(seed, 0xca7a109))
	pick := func(from []string) string { return from[rng.IntN(len(from))] }
	products := make([]Product, n)
	for i := range products {
		f := families[i%len(families)]
		adjective, noun, maker, colour := pick(f.adjectives), pick(f.nouns), pick(makers), pick(colours)
		text := []string{fmt.Sprintf(pick(openings), adjective, noun, maker, colour)}
		for _, j := range rng.Perm(len(remarks))[:3] {
			text = append(text, remarks[j])
		}
		p := Product{
			Item: Item{
				SKU:      fmt.Sprintf("%s-%04d", strings.ToUpper(f.category[:2]), i+1),
				Name:     fmt.Sprintf("%s %s %s, %s", maker, adjective, noun, colour),
				Category: f.category,
				Price:    f.low + Money(rng.Int64N(int64(f.high-f.low)))/5*5,
				Grams:    f.grams/2 + rng.IntN(f.grams),
			},
			Description: strings.Join(text, " "),
			Stock:       ampleStock,
		}
		if i%limitedEvery == limitedEvery-1 {
			p.Limited, p.Stock = true, limitedStock
		}
		products[i] = p
	}
	return products
}
