// Package gocmd drives the go command: its environment, its flags, the packages
// it would build, and the overlay through which it builds something else.
package gocmd
