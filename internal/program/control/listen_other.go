//go:build !linux

package control

import "errors"

var errNone = errors.New("there is no control socket on this system")

// A Listener can't be made here without the network poller.
type Listener struct{}

// Listen returns an error.
func Listen(string, Runtime) (*Listener, error) { return nil, errNone }

// Serve returns at once.
func (*Listener) Serve(func() *Server) {}

// Path returns no path.
func (*Listener) Path() string { return "" }

// Close does nothing.
func (*Listener) Close() {}

// Folder returns an error.
func Folder() (string, error) { return "", errNone }

// SocketName returns an error.
func SocketName(int) (string, error) { return "", errNone }

// A Gate can't be made here: nobody could ask for it to be opened.
type Gate struct{}

// NewGate returns an error.
func NewGate() (*Gate, error) { return nil, errNone }

// Wait returns at once.
func (*Gate) Wait() {}

// Open does nothing.
func (*Gate) Open() {}

// Sweep does nothing.
func Sweep(string) {}
