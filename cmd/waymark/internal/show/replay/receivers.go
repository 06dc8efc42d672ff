package replay

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/waymark-go/waymark/value"
)

// receivers are the receivers of the methods so far: pointers, by address and type. Two objects
// that were made at the same address, one after the other, are taken for one.
type receivers struct {
	seen   map[receiverKey]*receiver
	counts map[string]int // by the type's last name, which labels have
}

type receiverKey struct {
	typ     string
	address uint64
}

// A receiver is printed whole once.
type receiver struct {
	label string // *Client@1
	shown bool
}

// arguments are the arguments of a call as text, before and after the receiver if that has a label.
type arguments struct {
	before, after string
	receiver      *receiver
	whole         string // the receiver's text the first time
}

// place stands for the receiver in the text of all arguments.
const place = "\x00"

// maxReceivers bounds the receivers that are kept. Others are printed whole each time.
const maxReceivers = 1 << 16

func newReceivers(labels bool) receivers {
	if !labels {
		return receivers{}
	}
	return receivers{make(map[receiverKey]*receiver), make(map[string]int)}
}

// of returns the receiver of a call of the function with the given name, nil if it gets no label.
func (r *receivers) of(function string, args []value.Value) *receiver {
	if r.seen == nil || len(args) == 0 || !hasPointerReceiver(function) {
		return nil
	}
	v := &args[0]
	if v.State != value.Known || v.Type.Kind != reflect.Pointer || v.Bits == 0 {
		return nil
	}
	key := receiverKey{v.Type.Name, v.Bits}
	if seen, ok := r.seen[key]; ok {
		return seen
	}
	if len(r.seen) == maxReceivers {
		return nil
	}
	name := lastName(key.typ)
	r.counts[name]++
	seen := &receiver{label: fmt.Sprintf("*%s@%d", name, r.counts[name])}
	r.seen[key] = seen
	return seen
}

// text returns the arguments with the receiver's label, behind which stands what it points to
// the first time.
func (a *arguments) text() string {
	switch {
	case a.receiver == nil:
		return a.before
	case a.receiver.shown:
		return a.before + a.receiver.label + a.after
	}
	a.receiver.shown = true
	return a.before + a.whole + a.after
}

// hasPointerReceiver reports whether a function is a method of a pointer, as in main.(*T).Do, and
// not a literal in one.
func hasPointerReceiver(function string) bool {
	i := strings.LastIndex(function, ").")
	return i > 0 && strings.Contains(function[:i], "(*") && !strings.Contains(function[i+2:], ".")
}

// lastName returns the name of a pointer's type without star, package and type arguments.
func lastName(typ string) string {
	typ, _, _ = strings.Cut(strings.TrimLeft(typ, "*"), "[")
	return typ[strings.LastIndexByte(typ, '.')+1:]
}
