//go:build !linux

package recorder

import (
	"fmt"
	"os"
)

// Say prints a line on the program's stderr, which is waymark's only one.
func Say(text string, args ...any) { Print(fmt.Appendf(nil, "waymark: "+text+"\n", args...)) }

// Print writes to the program's stderr.
func Print(b []byte) { os.Stderr.Write(b) }
