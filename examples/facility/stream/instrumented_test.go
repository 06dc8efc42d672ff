//go:build waymark

package stream_test

func Example_instrumented() {
	Example()
	// Output:
	// IORead:
	// > stream.Stream.ReadInt()
	// < stream.Stream.ReadInt = 5, <nil>
	// > stream.Stream.ReadLong()
	// < stream.Stream.ReadLong = 7, <nil>
	// IO:
	// > stream.Stream.WriteInt(5)
	// < stream.Stream.WriteInt
	// > stream.Stream.WriteLong(7)
	//   . stream.Stream.interestingWriteLong("An odd value", 7)
	// < stream.Stream.WriteLong
	// > stream.Stream.ReadInt()
	// < stream.Stream.ReadInt = 5, <nil>
	// > stream.Stream.ReadLong()
	// < stream.Stream.ReadLong = 7, <nil>
	// nothing:
}
