//go:build !linux

package recorder

import (
	"fmt"
	"os"
)

// Say prints a line on the program's stderr, which is waymark's only one.
func Say(text string, args ...any) { fmt.Fprintf(os.Stderr, "waymark: "+text+"\n", args...) }
