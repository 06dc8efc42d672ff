package instrument

import (
	"go/ast"
	"go/types"
	"strings"
)

// imported returns the cost of a call of another package's function if the
// compiler inlines it, as far as the list below knows.
func (c *counter) imported(fun ast.Expr, callee *types.Func) (int, bool) {
	name := ""
	if callee != nil {
		name = callee.FullName()
	} else if sel, ok := fun.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			if pkg, ok := c.info.Uses[id].(*types.PkgName); ok {
				name = pkg.Imported().Path() + "." + sel.Sel.Name
			}
		}
	}
	if strings.HasPrefix(name, "sync/atomic.") {
		return 0, true // compiled to instructions
	}
	cost, ok := stdCosts[name]
	return cost, ok
}

// stdCosts holds what calls of the standard library cost that are inlined and
// common in small functions, as Go 1.26 prints it under -gcflags=-m=2. The
// bodies of imported functions aren't at hand, so that a call of any other is
// taken to be not inlined.
var stdCosts = map[string]int{
	"(*bytes.Buffer).Bytes":           6,
	"(*bytes.Buffer).Len":             7,
	"(*bytes.Buffer).Reset":           15,
	"(*bytes.Buffer).String":          13,
	"(*strings.Builder).Len":          4,
	"(*strings.Builder).String":       8,
	"(*strings.Builder).Write":        32,
	"(*strings.Builder).WriteByte":    30,
	"(*strings.Builder).WriteString":  32,
	"(*sync.Mutex).Lock":              68,
	"(*sync.Mutex).TryLock":           30,
	"(*sync.Mutex).Unlock":            74,
	"(*sync.Once).Do":                 70,
	"(*sync.RWMutex).RLock":           77,
	"(*sync.RWMutex).RUnlock":         78,
	"(*sync/atomic.Bool).Load":        6,
	"(*sync/atomic.Bool).Store":       12,
	"(*sync/atomic.Int32).Add":        5,
	"(*sync/atomic.Int32).Load":       4,
	"(*sync/atomic.Int32).Store":      4,
	"(*sync/atomic.Int64).Add":        5,
	"(*sync/atomic.Int64).Load":       4,
	"(*sync/atomic.Int64).Store":      4,
	"(*sync/atomic.Pointer[T]).Load":  9,
	"(*sync/atomic.Pointer[T]).Store": 66,
	"(*sync/atomic.Uint32).Add":       5,
	"(*sync/atomic.Uint32).Load":      4,
	"(*sync/atomic.Uint32).Store":     4,
	"(*sync/atomic.Uint64).Add":       5,
	"(*sync/atomic.Uint64).Load":      4,
	"(*sync/atomic.Uint64).Store":     4,
	"(reflect.Value).CanAddr":         7,
	"(reflect.Value).CanSet":          7,
	"(reflect.Value).IsValid":         5,
	"(reflect.Value).Kind":            8,
	"(time.Duration).Milliseconds":    4,
	"(time.Duration).Nanoseconds":     2,
	"(time.Duration).Seconds":         22,
	"(time.Time).IsZero":              10,
	"bufio.NewReader":                 50,
	"bufio.NewScanner":                9,
	"bufio.NewWriter":                 39,
	"bytes.Contains":                  64,
	"bytes.Equal":                     6,
	"bytes.HasPrefix":                 20,
	"bytes.HasSuffix":                 23,
	"bytes.NewBuffer":                 5,
	"bytes.NewReader":                 9,
	"bytes.TrimPrefix":                32,
	"bytes.TrimSuffix":                38,
	"context.Background":              3,
	"context.TODO":                    3,
	"encoding/json.NewDecoder":        5,
	"encoding/json.NewEncoder":        7,
	"errors.New":                      6,
	"fmt.Errorf":                      79,
	"fmt.Print":                       72,
	"fmt.Printf":                      73,
	"fmt.Println":                     72,
	"io.Copy":                         72,
	"io.NopCloser":                    19,
	"io.ReadFull":                     73,
	"log.Print":                       77,
	"log.Printf":                      77,
	"log.Println":                     77,
	"math.Abs":                        14,
	"math.Float32bits":                3,
	"math.Float32frombits":            3,
	"math.Float64bits":                3,
	"math.Float64frombits":            3,
	"math.Floor":                      0,
	"math.Inf":                        21,
	"math.IsInf":                      35,
	"math.IsNaN":                      4,
	"math.NaN":                        7,
	"math.Sqrt":                       4,
	"math/bits.Len":                   0,
	"math/bits.Len32":                 0,
	"math/bits.Len64":                 0,
	"math/bits.OnesCount64":           0,
	"math/bits.ReverseBytes64":        0,
	"math/bits.RotateLeft32":          0,
	"math/bits.RotateLeft64":          0,
	"math/bits.TrailingZeros32":       0,
	"math/bits.TrailingZeros64":       0,
	"os.Create":                       72,
	"os.Open":                         72,
	"path/filepath.Base":              61,
	"path/filepath.FromSlash":         6,
	"path/filepath.IsAbs":             22,
	"path/filepath.Join":              61,
	"path/filepath.ToSlash":           6,
	"reflect.TypeOf":                  30,
	"reflect.ValueOf":                 61,
	"strconv.Itoa":                    66,
	"strings.Contains":                69,
	"strings.Cut":                     75,
	"strings.CutPrefix":               42,
	"strings.CutSuffix":               48,
	"strings.HasPrefix":               18,
	"strings.HasSuffix":               21,
	"strings.Index":                   62,
	"strings.NewReader":               9,
	"strings.NewReplacer":             17,
	"strings.ReplaceAll":              64,
	"strings.Split":                   64,
	"strings.SplitSeq":                23,
	"strings.TrimPrefix":              30,
	"strings.TrimSuffix":              36,
	"unicode/utf8.RuneLen":            43,
	"unicode/utf8.ValidRune":          23,
}
