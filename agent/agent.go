// Package agent is what waymark's build adds to a program. Importing it reads the environment
// variable WAYMARK before the program's other packages are initialised, and begins what the
// variable asks for. Rewritten code imports it; programs need not.
package agent

import _ "github.com/waymark-go/waymark/internal/program/agent"
