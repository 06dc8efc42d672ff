// Package diagnostics has mistakes in directives. Where a directive is wrong it says, behind
// a slash, what is reported.
//
//waymark:info // want `it is for functions, and stands over the package`
package diagnostics

import (
	"net/http"

	waymark "example.com/fake/wmrt"
)

//waymark:trace IO // want `stands over nothing that can be traced`
var IO = waymark.NewGroup("IO")

var typed = waymark.NewGroup("typed")

var unset *waymark.Group

var third = waymark.NewGroup("third")

var handler *http.Handler

var number = 5

const constant = 6

//waymark:trace IO typed
type declares struct{}

//waymark:trace IO
func (declares) ok() {}

//waymark:trace other // want `undefined: other`
func undefined() {}

//waymark:trace number // want `number is a variable of another type`
func notGroup() {}

//waymark:trace handler // want `handler is a variable of another type`
func notGroupType() {}

//waymark:trace constant // want `constant is a constant`
func isConstant() {}

//waymark:trace undefined // want `undefined is a function`
func isFunction() {}

//waymark:trace http.handler // want `handler is not exported by package net/http`
func unexported() {}

//waymark:trace htp.Group // want `undefined: htp`
func noImport() {}

//waymark:trace IO-x // want `IO-x: want the variable of a group`
func notName() {}

//waymark:trace // want `want one group`
func none() {}

//waymark:group other // want `waymark:group: undefined: other`
func undefinedGroup() {}

//waymark:group IO
//waymark:trace typed // want `there is another one`
func both() {}

//waymark:trace IO typed // want `want one group`
func two() {}

//waymark:trace IO
//waymark:trace typed // want `there is another one over twice`
func twice() {}

//waymark:trac IO // want `there is no such directive`
func misspelt() {}

//waymark: trace IO // want `there is no such directive`
func spaced() {}

// waymark:trace IO
func comment() {}

//waymark:trace missing // want `undefined: missing`
type missingGroup struct{}

//waymark:trace typed IO
type declaresBoth struct{}

//waymark:trace third // want `third is not among the groups that type declaresBoth declares: typed, IO`
func (declaresBoth) m() {}

//waymark:trace IO // want `noBody can't be traced: no body`
func noBody()

//waymark:trace IO // want `nosplit can't be traced: //go:nosplit`
//go:nosplit
func nosplit() {}

//waymark:ignore // want `both is traced, too`
//waymark:trace IO
func both() {}

//waymark:ignore really // want `want nothing behind it`
func ignoredReally() {}

//waymark:trace // want `want the variable of a group, or of several`
type noGroup struct{}

func inside() {
	//waymark:trace IO // want `stands over nothing that can be traced`
	func() {}()
}

//waymark:trace IO // want `stands over nothing that can be traced`

func blankLine() {}

//waymark:info // want `Exported is exported: want an unexported function`
func Exported() {}

//waymark:info // want `results has results: want none`
func results() int { return 1 }

//waymark:info // want `body has a body that isn't empty`
func body() { none() }

//waymark:info maybe // want `want enter, exit or nothing behind it`
func maybe() {}

//waymark:info
//waymark:trace IO // want `infoTraced is an info function, which can't be traced itself`
func infoTraced() {}

//waymark:info
func good(n int) {}

func caller() {
	good(1) // want `good is an info function, and caller, which calls it, is in no group`
	func() {
		good(2) // want `good is an info function, and caller, which calls it, is in no group`
	}()
}

//waymark:trace IO
func traced() { good(3) }

//waymark:trace IO // want `alias has no methods of its own`
type alias = declares

//waymark:trace IO // want `methods has no methods of its own`
type methods interface{ M() }

//waymark:trace unset // want `unset is declared without a value`
func tooLate() {}

var empty *waymark.Group = nil

var emptyToo = (*waymark.Group)(nil)

//waymark:trace empty // want `empty is nil: want a variable that holds what waymark.NewGroup returns`
func inNil() {}

//waymark:trace emptyToo // want `emptyToo is nil`
func inNilToo() {}

//waymark:Trace IO // want `there is no such directive: want trace in lower case`
func upperCase() {}

//waymark:trace _ // want `undefined: _`
func blank() {}

//waymark:info // want `noBodyInfo has no body`
func noBodyInfo()

//waymark:trace misspelt2 // want `undefined: misspelt2`
func meantForGroup() { good(4) }

var value = good // want `good is an info function: it can only be called`

var called = func() int {
	good(5) // want `good is an info function, and called by no function`
	return 1
}()

//waymark:trace IO
func deferred() {
	defer good(6)
	f := good // want `good is an info function: it can only be called`
	f(7)
}

var (
	badName = waymark.NewGroup("bad name")   // want `NewGroup: the name "bad name": want one of letters`
	again   = waymark.NewGroup("IO")         // want `NewGroup: the group at .*a.go:[0-9:]* is called IO, too`
	withNil = waymark.NewGroup("nil.in", nil) // want `NewGroup: subgroup number 1 is nil`
)
