// Package listen is what `waymark build` adds to a program beside package agent. Importing it lets
// waymark's commands look into the program, unless the variable WAYMARK has agent=0. Generated code
// imports it; programs need not.
package listen

import "github.com/waymark-go/waymark/internal/program/agent"

func init() { agent.Listen() }
