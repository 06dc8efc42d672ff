package main

import (
	"math"
	str "strings"
	"time"

	"example.com/values/oracle"
)

type (
	flag    bool
	celsius float64
	id      int32
	mask    uint8
	phase   complex64
	address uintptr
)

func (c celsius) String() string { panic("a method of the program's ran") }

func aBool(x bool) bool                        { return x }
func aInt(x int) int                           { return x }
func aInt8(x int8) int8                        { return x }
func aInt16(x int16) int16                     { return x }
func aInt32(x int32) int32                     { return x }
func aInt64(x int64) int64                     { return x }
func aUint(x uint) uint                        { return x }
func aUint8(x uint8) uint8                     { return x }
func aUint16(x uint16) uint16                  { return x }
func aUint32(x uint32) uint32                  { return x }
func aUint64(x uint64) uint64                  { return x }
func aUintptr(x uintptr) uintptr               { return x }
func aFloat32(x float32) float32               { return x }
func aFloat64(x float64) float64               { return x }
func aComplex64(x complex64) complex64         { return x }
func aComplex128(x complex128) complex128      { return x }
func aFlag(x flag) flag                        { return x }
func aCelsius(x celsius) celsius               { return x }
func aID(x id) id                              { return x }
func aMask(x mask) mask                        { return x }
func aPhase(x phase) phase                     { return x }
func aAddress(x address) address               { return x }
func aDuration(x time.Duration) time.Duration  { return x }
func many(a bool, b int8, c uint64, d float32) {}

func scalars() {
	for _, x := range []bool{false, true} {
		oracle.Call("main.aBool(x=%) = %", aBool, x)
		oracle.Call("main.aFlag(x=%) = %", aFlag, flag(x))
	}
	for _, x := range []int64{0, 1, -1, 63, 64, -64, -65, math.MaxInt8, math.MinInt8, math.MaxInt16, math.MinInt16, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64} {
		oracle.Call("main.aInt(x=%) = %", aInt, int(x))
		oracle.Call("main.aInt8(x=%) = %", aInt8, int8(x))
		oracle.Call("main.aInt16(x=%) = %", aInt16, int16(x))
		oracle.Call("main.aInt32(x=%) = %", aInt32, int32(x))
		oracle.Call("main.aInt64(x=%) = %", aInt64, x)
		oracle.Call("main.aUint(x=%) = %", aUint, uint(x))
		oracle.Call("main.aUint8(x=%) = %", aUint8, uint8(x))
		oracle.Call("main.aUint16(x=%) = %", aUint16, uint16(x))
		oracle.Call("main.aUint32(x=%) = %", aUint32, uint32(x))
		oracle.Call("main.aUint64(x=%) = %", aUint64, uint64(x))
		oracle.Call("main.aUintptr(x=%) = %", aUintptr, uintptr(x))
		oracle.Call("main.aID(x=%) = %", aID, id(x))
		oracle.Call("main.aMask(x=%) = %", aMask, mask(x))
		oracle.Call("main.aAddress(x=%) = %", aAddress, address(x))
		oracle.Call("main.aDuration(x=%) = %", aDuration, time.Duration(x))
		oracle.Call("main.many(a=%, b=%, c=%, d=%)", many, x > 0, int8(x), uint64(x), float32(x))
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1.5, math.Pi, 1e21, 1e-7, math.MaxFloat32, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN()} {
		oracle.Call("main.aFloat32(x=%) = %", aFloat32, float32(x))
		oracle.Call("main.aFloat64(x=%) = %", aFloat64, x)
		oracle.Call("main.aCelsius(x=%) = %", aCelsius, celsius(x))
		oracle.Call("main.aComplex64(x=%) = %", aComplex64, complex64(complex(x, -x)))
		oracle.Call("main.aComplex128(x=%) = %", aComplex128, complex(-x, x))
		oracle.Call("main.aPhase(x=%) = %", aPhase, phase(complex(x, 1)))
	}
}

type name string

func (n name) Error() string { panic("a method of the program's ran") }

func aString(x string) string           { return x }
func aName(x name) name                 { return x }
func aBytes(x []byte) []byte            { return x }
func aStrings(x []string) []string      { return x }
func aRunes(x []rune) []rune            { return x }
func twoStrings(a, b string) (c string) { return a + b }

func strings() {
	for _, x := range []string{"", "a", "two\nlines\t", "\x00\x7f", "invalid \xff\xc0", "grüße 世界 \u2028 \ufeff", "50% %d", `back\slash "quoted"`, str.Repeat("long ", 300)} {
		oracle.Call("main.aString(x=%) = %", aString, x)
		oracle.Call("main.aName(x=%) = %", aName, name(x))
		oracle.Call("main.aStrings(x=%) = %", aStrings, []string{x, "", x})
		oracle.Call("main.aBytes(x=%) = %", aBytes, []byte(x))
		oracle.Call("main.twoStrings(a=%, b=%) = %", twoStrings, x, "!")
	}
	// Copies are moved in pieces of 8 to 64 bytes: a constant, and what lies within an object of the heap.
	const letters = "The quick brown fox jumps over the lazy dog, 0123456789 times. Pack my box with five dozen liquor jugs; sphinx of black quartz, judge my vow!"
	heap := str.Clone("-" + letters)[1:]
	for n := range len(letters) {
		oracle.Call("main.aString(x=%) = %", aString, letters[:n])
		oracle.Call("main.aString(x=%) = %", aString, heap[:n])
		oracle.Call("main.aStrings(x=%) = %", aStrings, []string{letters[:n], heap[n:]})
		oracle.Call("main.aBytes(x=%) = %", aBytes, []byte(heap[:n]))
	}
	oracle.Call("main.aBytes(x=%) = %", aBytes, nil)
	oracle.Call("main.aRunes(x=%) = %", aRunes, []rune("世界"))
}
