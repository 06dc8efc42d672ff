// Package value reads the arguments, results and panic values that the events of a
// recording carry, and prints them as fmt's verb %+v does.
//
//	for events.Next(&ev) {
//		if ev.Kind == format.Enter && ev.Data != nil {
//			site, _ := file.Site(ev.Site)
//			args, _ := value.Decode(ev.Data, file.Type)
//			fmt.Printf("%s%s\n", site.Name, value.List(args, site.Args))
//		}
//	}
//
// # What differs from %+v
//
// A value was read without running any code of the program's: methods String and
// Error were not called. For some types of the standard library the text is made here,
// out of their fields: errors of packages errors, fmt, io/fs, os, strconv and syscall;
// time.Duration, time.Month, time.Weekday, and time.Time, in UTC. Of pointers to contexts
// and to the types of package testing only the type is shown, and of structs without fields.
//
// A string that is a value of its own is quoted; one within another value only if it
// holds what would break the line. Byte slices that hold text are quoted like strings.
//
// A pointer shows what it points to, as %+v does for the outermost one only, as far
// as it was recorded. Channels show their lengths, functions their names.
//
// The recording program cuts values at limits of depth and size, and a Printer at its width.
// What was cut off is said where it was: …+3 are three bytes of a string, three elements or
// three entries of a map; … are fields, or the rest of the values. A map that was being written
// has none of its entries. *** is what looked like a secret and was not recorded, ? what
// could not be read.
package value
