// Package probetable encodes the USDT probes of a unit, in two forms. Generated code has the table as
// an array of words among the program's data, from which the linked program can be completed:
//
//	words := probetable.Words(table)               // of an array in generated code
//	...
//	tables, err := probetable.Find(data, addr)     // in a section of the linked program
//	for _, t := range tables {
//		for i, p := range t.Probes {
//			t.SetLocation(data, i, next, ...)      // the program goes there when the probe fires
//			note(p.Provider, p.Name, location(next), t.Semaphore(i), p.Arguments())
//		}
//	}
//
// A table has a head, which holds the texts. Behind the head it has three words for each function
// or probe of a provider, which the program changes:
//
//	the word that is 0 while nobody wants to know: in its upper half two semaphores of 16 bits
//	two locations of 32 bits: 1 and the number of a location in the pool of package runtime; 0: none
//	the index of the function's site in its unit
//
// Nothing of the table is a pointer, so it needs no relocations, and is found without symbols.
package probetable
