//go:build !race

package recorder

import (
	"testing"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/budget"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A test's rows fit into the stack that a goroutine begins with, below what package testing and the runtime have
// there. With -race frames are larger.
func TestSmallStack(t *testing.T) {
	f := newFake(t)
	f.pkg("m", 1)
	r := f.start(Config{Budget: budget.Limit{Share: 0.03, Strict: true}})
	defer r.Close()
	rows := func() {
		r.test(uint8(format.TestBegins), "TestA", "", 7, 1)
		r.test(uint8(format.TestPasses), "TestA", "", 7, 2)
	}
	rows() // opens the journal
	for i := 0; i < 20; i++ {
		grown := make(chan bool)
		go func() { grown <- grows(rows) }()
		if <-grown {
			t.Fatal("the stack has grown for a test's rows")
		}
	}
}

// grows reports whether f needs a larger stack, which is elsewhere then.
//
//go:noinline
func grows(f func()) bool {
	var above [320]byte // with the recorder's closures 256 were too many; today 384 are not
	before := uintptr(unsafe.Pointer(&above))
	f()
	return uintptr(unsafe.Pointer(&above)) != before
}
