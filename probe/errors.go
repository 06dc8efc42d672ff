package probe

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/waymark-go/waymark/internal/wire/usdt"
)

// Errors that those of Register wrap.
var (
	ErrProvider   = errors.New("no provider: want a pointer to a struct that embeds probe.Provider")
	ErrRegistered = errors.New("the provider is registered already: Dispose of it first, or use another variable")
	ErrName       = errors.New("the provider has no name: use a named type, a tag or probe.Named")
	ErrDuplicate  = errors.New("two have the same name")
	ErrField      = errors.New("the field is no probe")

	// ErrPlatform is that of USDT where no tracer could see its probes.
	ErrPlatform = errors.New("USDT needs linux on amd64 or arm64")

	// ErrMemory is that of USDT where the system refuses memory that is executable.
	ErrMemory = errors.New("no executable memory can be had")
)

// A ProviderError says that a provider can't be had at all.
type ProviderError struct {
	Provider string // its name, or its type
	Err      error  // ErrProvider, ErrRegistered or ErrName
}

func (e *ProviderError) Error() string { return fmt.Sprintf("provider %s: %v", e.Provider, e.Err) }

// Unwrap returns Err.
func (e *ProviderError) Unwrap() error { return e.Err }

// A FieldError says that a field of a provider's struct isn't right. It wraps ErrField.
type FieldError struct {
	Provider string       // the struct's type
	Field    string       // its name
	Type     reflect.Type // of the field
	Reason   string
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("provider %s, field %s %s: %s", e.Provider, e.Field, e.Type, e.Reason)
}

// Unwrap returns ErrField.
func (e *FieldError) Unwrap() error { return ErrField }

// A DuplicateError says that two live providers, or two probes of a provider, have the same name. It
// wraps ErrDuplicate.
type DuplicateError struct {
	What     string // provider or probe
	Name     string
	Provider string // of a probe: its provider
	Fields   [2]string
}

func (e *DuplicateError) Error() string {
	if e.What == "provider" {
		return fmt.Sprintf("provider %s is registered already: give one of them another name, with a tag or probe.Named", e.Name)
	}
	return fmt.Sprintf("provider %s: the fields %s and %s are both probes %s: give one of them another name, with a tag", e.Provider, e.Fields[0], e.Fields[1], e.Name)
}

// Unwrap returns ErrDuplicate.
func (e *DuplicateError) Unwrap() error { return ErrDuplicate }

// A SinkError says that a provider's probes don't get to one of the sinks. They get to the others.
type SinkError struct {
	Sink     string // USDT, Record, ...
	Provider string
	Err      error
}

func (e *SinkError) Error() string {
	return fmt.Sprintf("provider %s, %s: %v", e.Provider, e.Sink, e.Err)
}

// Unwrap returns Err.
func (e *SinkError) Unwrap() error { return e.Err }

// A NameError says that tracers can't have a provider or a probe of this name. A SinkError of USDT
// wraps it.
type NameError = usdt.NameError

// An ArgumentError says that arguments of Trigger are not the probe's.
type ArgumentError struct{ Probe, Reason string }

func (e *ArgumentError) Error() string { return fmt.Sprintf("probe %s: %s", e.Probe, e.Reason) }

// A MemoryError says what the system has refused. It wraps ErrMemory and the system's error.
type MemoryError struct {
	Call string // the system's function: memfd_create, mmap
	Err  error
}

func (e *MemoryError) Error() string { return fmt.Sprintf("%v: %s: %v", ErrMemory, e.Call, e.Err) }

// Unwrap returns ErrMemory and the system's error.
func (e *MemoryError) Unwrap() []error { return []error{ErrMemory, e.Err} }
