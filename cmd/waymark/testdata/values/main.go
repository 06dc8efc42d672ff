// Values calls functions that take and return values of every kind that Go has, and
// prints for each call what its replay should print.
package main

func main() {
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
