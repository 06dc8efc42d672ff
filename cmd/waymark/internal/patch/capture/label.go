package capture

import (
	"debug/dwarf"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A goroutine's labels are a labelMap, which is a slice: each label is two texts, its key and its
// value.
const (
	labelMap  = "runtime/pprof.labelMap"
	setLabels = "runtime/pprof.runtime_setProfLabel"

	sliceSize = 3 * word
	labelSize = 4 * word

	mostLabels = 8   // that are copied
	mostKey    = 64  // of a key, bytes
	mostValue  = 128 // of a value, bytes
)

// A Label is a label of runtime/pprof that a goroutine has.
type Label struct {
	Key, Value string
	Masked     bool   // the key looks like the name of a secret
	Cut        uint64 // bytes of the value that aren't there
}

// setsLabels reports whether the program sets labels, and has them as they are known to be. at is
// where their type is described.
func (ts *Types) setsLabels(at dwarf.Offset) bool {
	if ts.image.Named(setLabels) == nil {
		return false
	}
	t, err := ts.at(at)
	if err != nil {
		return false
	}
	for range 2 { // a set in the map, and a slice in the set
		if t.Kind != format.KindStruct || len(t.Fields) != 1 || t.Size != sliceSize {
			return false
		}
		t = t.Fields[0].Type
	}
	label := t.Elem()
	if t.Kind != format.KindSlice || label == nil || label.Kind != format.KindStruct || label.Size != labelSize || len(label.Fields) != 2 {
		return false
	}
	return label.Fields[0].Type.Kind == format.KindString && label.Fields[1].Type.Kind == format.KindString
}

// addLabels has a plan begin with the labels of the goroutine.
func (p *Plan) addLabels() {
	p.Pieces = append(p.Pieces, Piece{From: InGoroutine, Size: word})
	texts := []Follow{{At: 0, Kind: List, Bytes: mostKey, Step: 1}, {At: 2 * word, Kind: List, Bytes: mostValue, Step: 1}}
	list := Follow{Kind: List, Bytes: mostLabels * labelSize, Step: labelSize, Inside: texts}
	p.Follow = append(p.Follow, Follow{Kind: Whole, Bytes: sliceSize, Inside: []Follow{list}})
	p.Size, p.Labeled = word, true
}

// Labels returns the labels that a copy has of the goroutine, by their keys, and how many more there are.
func (p *Plan) Labels(copied []byte) (list []Label, more int) {
	if p == nil || !p.Labeled || len(copied) < p.Size {
		return nil, 0
	}
	d := decoder{rest: copied[p.Size:], plan: p}
	set := d.variables(copied[:p.Size]).to(0, Whole)
	if set == nil || len(set.bytes) < sliceSize {
		return nil, 0
	}
	n := set.word(word)
	if labels := set.to(0, List); labels != nil {
		for _, b := range labels.each {
			key, whole := copiedText(b, 0)
			value, _ := copiedText(b, 2*word)
			words := p.types.words
			if key == "" && !whole { // it found no room
				continue
			}
			masked := words != nil && (!whole || format.LooksSecret(key, words))
			list = append(list, Label{key, value, masked, b.word(3*word) - uint64(len(value))})
		}
	}
	return list, int(n) - len(list)
}

// copiedText returns what was copied of a text, and whether that is all of it.
func copiedText(b *block, at int) (text string, whole bool) {
	n := b.word(at + word)
	if to := b.to(at, List); to != nil {
		text = string(to.bytes)
	}
	return text, uint64(len(text)) == n
}
