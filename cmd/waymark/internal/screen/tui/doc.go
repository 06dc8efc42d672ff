// Package tui has the parts that waymark's terminal programs are made of: lists, trees, forms, and
// the screen around them.
//
//	list := tui.List{Columns: []tui.Column{{Head: "Calls", Right: true}, {Head: "Function"}}, Source: rows}
//	list.Press("down")
//	screen := tui.Screen{Title: "shop", Panes: []string{"Functions"}, Keys: "q quits"}
//	text := screen.View(80, 24, list.View)
//
// A part takes keys by their names and returns lines of text, so that tests need no terminal. Only
// Run knows one. Colours are few: one accent, red for panics, yellow for errors. What a colour says is
// said by a letter, too, for terminals without colours.
package tui
