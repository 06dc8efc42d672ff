package monitor

import (
	"strings"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/goroutine"
	"github.com/waymark-go/waymark/internal/program/text"
)

// An OperationTracer is a factory of monitors that know, for each goroutine, the monitored calls
// that are in progress, with their arguments. What was the program doing when that error happened?
//
//	var operations = monitor.NewOperationTracer()
//	...
//	return operations.Wrap(err) // "no such row (in store.DB.Get("users", 17) > store.page.find(17))"
type OperationTracer struct{ nests goroutine.Local[nest] }

type nest struct{ list []Operation }

// An Operation is a call in progress.
type Operation struct {
	Package  string
	Function string
	Args     []any
}

func (o Operation) String() string {
	return string(append(text.AppendList([]byte(short(o.Package)+"."+o.Function+"("), o.Args), ')'))
}

// NewOperationTracer makes an OperationTracer, which is to be registered against a group.
func NewOperationTracer() *OperationTracer { return new(OperationTracer) }

// Kind implements what KindOf asks for.
func (t *OperationTracer) Kind() string { return "OperationTracer" }

// Create implements Factory.
func (t *OperationTracer) Create(pkg string) Monitor { return &operationMonitor{named{pkg}, t} }

// Operations returns the calls of the calling goroutine that are in progress, the outermost first.
func (t *OperationTracer) Operations() []Operation {
	if n := t.nests.Get(false); n != nil {
		return append([]Operation(nil), n.list...)
	}
	return nil
}

// String returns the calling goroutine's calls in progress as text, the outermost first.
func (t *OperationTracer) String() string { return operationsText(t.Operations()) }

func operationsText(list []Operation) string {
	var b strings.Builder
	for i, o := range list {
		if i > 0 {
			b.WriteString(" > ")
		}
		b.WriteString(o.String())
	}
	return b.String()
}

// An OperationError is an error with what was being done.
type OperationError struct {
	Err        error
	Operations []Operation

	text string // of the operations when the error was made: the program goes on to use what the arguments lead to
}

func (e *OperationError) Error() string { return e.Err.Error() + " (in " + e.text + ")" }

// Unwrap returns the error itself.
func (e *OperationError) Unwrap() error { return e.Err }

// Wrap returns an OperationError of err with the calling goroutine's calls in progress; err itself
// if it is nil or there are none.
func (t *OperationTracer) Wrap(err error) error {
	list := t.Operations()
	if err == nil || len(list) == 0 {
		return err
	}
	return &OperationError{err, list, operationsText(list)}
}

type operationMonitor struct {
	named
	t *OperationTracer
}

func (m *operationMonitor) Enter(id int, args ...any) {
	n := m.t.nests.Get(true)
	n.list = append(n.list, Operation{m.pkg, m.name(id), args})
}

func (m *operationMonitor) exit() {
	n := m.t.nests.Get(false)
	if n == nil || len(n.list) == 0 {
		return // cleared meanwhile
	}
	last := len(n.list) - 1
	n.list[last] = Operation{}
	if n.list = n.list[:last]; last == 0 {
		m.t.nests.Drop()
	}
}

func (m *operationMonitor) Exit(int) { m.exit() }

func (m *operationMonitor) ExitResults(int, ...any) { m.exit() }

func (m *operationMonitor) Info([]any, int, int, waymark.Point) {}

func (m *operationMonitor) Panic(int, any) {}

func (m *operationMonitor) Clear() { m.t.nests.Clear() }
