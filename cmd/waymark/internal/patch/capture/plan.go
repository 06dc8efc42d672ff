package capture

import (
	"math/bits"
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Plan says what is copied where a call begins or ends. First comes a block that has the variables, then what is followed
// from there. Of each of these there is the number of bytes, or Unread, and the bytes, up to a multiple of eight. Where all
// that may be followed has no room each of the first things has its share: a word that says how many bytes there are, and
// these. So has one of several things with maps in a block.
type Plan struct {
	Variables []Variable
	Pieces    []Piece // that make the block
	Size      int     // of the block, bytes
	Follow    []Follow
	Most      int  // bytes that a copy takes at most
	Shared    bool // Follow have shares
	Labeled   bool // the block's first word is the address of the goroutine's labels

	types  *Types
	limits Limits
}

// A Piece is a part of a variable.
type Piece struct {
	From   Source
	Number int // of the register, or how far above the return address it is, bytes
	At     int // where it belongs in the block, bytes
	Size   int // bytes
}

// A Source says where a piece is.
type Source uint8

// Sources. Registers are counted in the order in which arguments take them.
const (
	InInt Source = iota
	InFloat
	InSaved // RDX, R12, R13 or R15, at a line
	OnStack
	InGoroutine // the address of its labels
)

// A Follow copies what words lead to.
type Follow struct {
	At     int // of the first word in its block; the address is there, or in the second one of an interface
	Kind   Reach
	Bytes  int      // at most
	Step   int      // size of the elements of a list, or of the slots of a map, bytes
	Key    uint64   // of contexts: the type of the key of one that has a span
	Share  int      // of a plan that is shared: bytes for it and all that it leads to
	Part   int      // not 0: it and all that it leads to has the room that is left divided by 2 to the power of this
	Inside []Follow // of what was copied; of each element of a list, of each slot of a map
}

// A Reach says how much is copied.
type Reach uint8

// Reaches.
const (
	Whole     Reach = iota // Bytes
	List                   // as many elements as the second word says
	Interface              // Bytes, from where the second word leads
	Contexts               // up to MostContexts, then SpanSize of the span that one has
	Map                    // MapHead, of a large map the address of its first table and MapTable, then Bytes of each group
)

// Width returns how many bytes of a block must be there.
func (f *Follow) Width() int {
	if f.Kind == Whole || f.Kind == Map {
		return word
	}
	return 2 * word
}

// Group returns how many bytes a group of a map's slots has.
func (f *Follow) Group() int { return MapSlots + mapSlots*f.Step }

// Unread is the number of bytes of what can't be read, or changed while it was.
const Unread = -1

// Sizes, bytes.
const (
	mostTarget   = 512 // of what a pointer leads to
	mostDynamic  = 64  // of what an interface holds
	mostNested   = 32  // of what an interface in that holds
	mostFollowed = 40  // things, of a variable

	// Levels is how many blocks can be followed, each within the one before.
	Levels = 4
)

// A room is how much a copy may take, bytes.
type room struct {
	block  int // of variables
	all    int
	labels bool // of the goroutine are copied, too
}

var (
	ofArgs    = room{1 << 10, 4 << 10, true}
	ofResults = room{1 << 10, 4 << 10, false}
	ofLine    = room{3 << 10, 7 << 10, true} // less than a recording takes of values
)

// plan makes a plan of variables. where returns the pieces of the one of an index, which it is asked for in order.
func (ts *Types) plan(list []Variable, where func(i int) []Piece, l Limits, most room) *Plan {
	labeled := most.labels && ts.labeled
	if len(list) == 0 && !labeled {
		return nil
	}
	p := &Plan{Variables: list, types: ts, limits: l}
	if labeled {
		p.addLabels()
	}
	for i := range list {
		v := &list[i]
		v.at = align(p.Size, word)
		pieces := where(i)
		if v.Masked || v.Type.hidden() {
			continue
		}
		if v.at+v.Type.Size > most.block {
			continue
		}
		for _, piece := range pieces {
			piece.At += v.at
			p.Pieces = append(p.Pieces, piece)
		}
		p.Size = align(v.at+v.Type.Size, word)
		if v.Unused {
			continue
		}
		f := follower{bytes: l.Bytes, left: mostFollowed}
		depth := l.Depth
		if v.Heap {
			depth++ // to the variable
		}
		f.value(v.Type, v.at, depth, 1, &p.Follow)
		ts.contexts(v, &p.Follow)
	}
	for i := range p.Follow {
		mapsLast(p.Follow[i].Inside)
	}
	if p.Most = p.Size + mostOf(p.Follow); p.Most > most.all {
		p.share(most.all - p.Size)
	}
	return p
}

// mapsLast puts what may have entries of maps behind the rest, and gives each of these a part of the room: a large map
// takes all that it gets. It reports whether there are maps.
func mapsLast(list []Follow) bool {
	var with, without []Follow
	for _, f := range list {
		if mapsLast(f.Inside) || f.Kind == Map {
			with = append(with, f)
		} else {
			without = append(without, f)
		}
	}
	for i := range with {
		with[i].Part = bits.Len(uint(len(with) - i - 1))
	}
	copy(list, append(without, with...))
	return len(with) > 0
}

// share gives each of the things that are followed a part of the room: as much as it may take, or as much as others get that
// take all of theirs.
func (p *Plan) share(room int) {
	p.Shared, p.Most = true, p.Size
	order := make([]int, len(p.Follow))
	for i := range order {
		order[i] = i
		p.Follow[i].Share = word + mostOf(p.Follow[i:i+1])
	}
	slices.SortStableFunc(order, func(a, b int) int { return p.Follow[a].Share - p.Follow[b].Share })
	for n, i := range order {
		f := &p.Follow[i]
		f.Share = min(f.Share, room/(len(order)-n)&^(word-1))
		room -= f.Share
		p.Most += f.Share
	}
}

// mostOf returns how many bytes follows take at most.
func mostOf(list []Follow) (n int) {
	for _, f := range list {
		times := 1
		if f.Step > 0 {
			times = f.Bytes / f.Step
		}
		one := word + align(f.Bytes, word) + times*mostOf(f.Inside)
		if f.Part > 0 {
			n += word
		}
		switch f.Kind {
		case Map:
			one = word + MapHead + 2*word + word + MapTable + MostGroups*one
		case Contexts:
			one += MostContexts * (word + ContextSize)
		}
		n += one
	}
	return n
}

// Names returns the names of the variables.
func (p *Plan) Names() (list []string) {
	if p != nil {
		for _, v := range p.Variables {
			list = append(list, v.Name)
		}
	}
	return list
}

// Types returns the types of the variables as in the source where they are predeclared, and empty texts for others.
func (p *Plan) Types() (list []string) {
	if p == nil {
		return nil
	}
	for _, v := range p.Variables {
		text := ""
		if t := v.held(); t != nil && (t.Package == "" && t.Kind != format.KindInterface || t.Name == "error") {
			text = t.Name
		}
		list = append(list, text)
	}
	return list
}

// held returns the type of the variable's values; nil: it isn't known.
func (v *Variable) held() *Type {
	if v.Heap {
		return v.Type.Elem()
	}
	return v.Type
}

// Fails reports whether the last variable is an error.
func (p *Plan) Fails() bool {
	if p == nil || len(p.Variables) == 0 {
		return false
	}
	t := p.Variables[len(p.Variables)-1].Type
	return t.Name == "error" && t.Package == "" && t.Kind == format.KindInterface
}

// A follower finds what is to be followed of a type.
type follower struct {
	bytes int // of texts and lists
	left  int // things that may be followed still
}

// value adds what a value at an offset leads to. depth is how deep it is opened, level how many blocks it is in.
func (f *follower) value(t *Type, at, depth, level int, list *[]Follow) {
	if f.left == 0 || level > Levels || t.hidden() {
		return
	}
	add := func(one Follow) {
		f.left--
		one.At = at
		*list = append(*list, one)
	}
	switch t.Kind {
	case format.KindString:
		add(Follow{Kind: List, Bytes: f.bytes, Step: 1})
	case format.KindStruct:
		for i := range t.Fields {
			if field := &t.Fields[i]; depth > 0 && !t.types.masked(field) {
				f.value(field.Type, at+field.Offset, depth-1, level, list)
			}
		}
	case format.KindArray:
		for i := 0; depth > 0 && t.leads() && i < t.Len && f.left > 0; i++ {
			f.value(t.Elem(), at+i*t.Elem().Size, depth-1, level, list)
		}
	case format.KindSlice:
		e := t.Elem()
		if e == nil || e.Size == 0 || e.hidden() || depth == 0 && e.Kind != format.KindUint8 {
			return
		}
		one := Follow{Kind: List, Step: e.Size, Bytes: f.bytes / e.Size * e.Size}
		if one.Bytes == 0 && f.bytes > 0 {
			one.Bytes = e.Size
		}
		if e.Size > max(f.bytes, mostTarget) {
			return
		}
		f.value(e, 0, depth-1, level+1, &one.Inside)
		add(one)
	case format.KindPointer:
		e := t.Elem()
		if depth == 0 || e == nil || e.hidden() || t.shape {
			return
		}
		if e.Kind != format.KindStruct && e.Kind != format.KindArray {
			depth--
		}
		one := Follow{Kind: Whole, Bytes: min(e.Size, mostTarget)}
		f.value(e, 0, depth, level+1, &one.Inside)
		add(one)
	case format.KindInterface:
		// What it holds is known when it is read. Texts and lists in its first words, and another interface behind two
		// texts, are where most errors have theirs.
		one := Follow{Kind: Interface, Bytes: mostDynamic}
		if level < Levels {
			for at := 0; at < 4*word; at += word {
				one.Inside = append(one.Inside, Follow{At: at, Kind: List, Bytes: f.bytes, Step: max(1, min(2*word, f.bytes))})
			}
			if level+1 < Levels {
				one.Inside = append(one.Inside, Follow{At: 4 * word, Kind: Interface, Bytes: mostNested, Inside: one.Inside[:1]})
			}
		}
		add(one)
	case format.KindMap:
		add(f.mapping(t, depth, level))
	case format.KindFunc:
		add(Follow{Kind: Whole, Bytes: word})
	case format.KindChan:
		add(Follow{Kind: Whole, Bytes: 2 * word})
	}
}

// leads reports whether elements of an array have something to follow.
func (t *Type) leads() bool {
	e := t.Elem()
	return e != nil && (e.Kind > format.KindComplex128 && e.Kind != format.KindUnsafePointer)
}
