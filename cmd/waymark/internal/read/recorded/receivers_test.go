package recorded

import (
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/value"
)

// Two objects have two labels, also where their types differ in what labels leave out.
func TestLabels(t *testing.T) {
	r := NewReceivers(true)
	labels := make(map[string]bool)
	for i, typ := range []string{"*x.Store", "*y.Store", "*z.Box[int]", "*z.Box[string]", "*x.Store"} {
		v := value.Value{Bits: uint64(0x1000 + 16*i), Type: value.Type{Kind: reflect.Pointer, Name: typ}}
		one := r.Of("x.(*Store).Len", []value.Value{v})
		if one == nil || labels[one.Label] {
			t.Errorf("object %d, a %s, has the label %v, of %v", i, typ, one, labels)
			continue
		}
		labels[one.Label] = true
	}
}
