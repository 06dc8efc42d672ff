package diagnostics

//waymark:trace IO
//waymark:name same
func first() {}

//waymark:trace IO
//waymark:name same // want `same is what the function at .*names.go:5:6 is called, too`
func second() {}

//waymark:trace IO
//waymark:name // want `want one name`
func unnamed() {}
