package recorded

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/waymark-go/waymark/value"
)

// Receivers are the receivers of the methods so far: pointers, by address and type. Two objects
// that were made at the same address, one after the other, are taken for one.
type Receivers struct {
	seen   map[receiverKey]*Receiver
	counts map[string]int // by the type's last name, which labels have
}

type receiverKey struct {
	typ     string
	address uint64
}

// A Receiver is printed whole when what it points to has changed.
type Receiver struct {
	Label string // *Client@1
	Shown string // how it was printed whole last
}

// maxReceivers bounds the receivers that are kept. Others are printed whole each time.
const maxReceivers = 1 << 16

// NewReceivers returns none. Without labels there will be none.
func NewReceivers(labels bool) Receivers {
	if !labels {
		return Receivers{}
	}
	return Receivers{make(map[receiverKey]*Receiver), make(map[string]int)}
}

// Of returns the receiver of a call of the function with the given name, nil if it gets no label.
func (r *Receivers) Of(function string, args []value.Value) *Receiver {
	if r.seen == nil || len(args) == 0 || !HasPointerReceiver(function) {
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
	seen := &Receiver{Label: fmt.Sprintf("*%s@%d", name, r.counts[name])}
	r.seen[key] = seen
	return seen
}

// HasPointerReceiver reports whether a function is a method of a pointer, as in main.(*T).Do, and
// not a literal in one.
func HasPointerReceiver(function string) bool {
	i := strings.LastIndex(function, ").")
	return i > 0 && strings.Contains(function[:i], "(*") && !strings.Contains(function[i+2:], ".")
}

// lastName returns the name of a pointer's type without star, package and type arguments.
func lastName(typ string) string {
	typ, _, _ = strings.Cut(strings.TrimLeft(typ, "*"), "[")
	return typ[strings.LastIndexByte(typ, '.')+1:]
}
