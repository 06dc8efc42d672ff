// Package calltreetest makes events and trace files of programs that never ran,
// for tests of what is built on calls.
package calltreetest
