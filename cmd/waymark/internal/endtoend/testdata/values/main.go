// Values calls functions that take and return values of every kind that Go has, and
// prints for each call what its replay should print.
package main

func main() {
	// The first value of a type is written by walking the type, which makes a program for the others.
	for range 3 {
		all()
	}
}

func all() {
	scalars()
	strings()
	errs()
	sequences()
	structs()
	pointers()
	interfaces()
	references()
	generics()
	shapes()
	known()
}
