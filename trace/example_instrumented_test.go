//go:build waymark

package trace_test

func ExampleWatch_instrumented() {
	ExampleWatch()
	// Output:
	// enter order [tea 3]
	// enter price [tea]
	// exit price [300]
	// enter pay [900]
	// exit pay [no money]
	// exit order [no money]
	// order true true
	//   price false true
	//   pay true true
}
