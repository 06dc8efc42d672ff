// Package value reads the arguments, results and panic values in the events of a recording. It
// prints them as the verb %+v of package fmt does.
//
//	if ev.Data != nil {
//		fn, _ := file.Func(ev.Site)
//		args, err := value.Decode(ev.Data, file.Type)
//		fmt.Printf("%s%s\n", fn.Name, value.List(args, fn.Args, err != nil))
//	}
//
// Here file is a tracefile.File and ev is an event of a call's beginning. The example is a whole
// program.
//
// # What differs from %+v
//
// waymark reads a value without running code of the program: no method String or Error is called.
// This package makes the text of some types of the standard library out of their fields. These are
// errors of packages errors, fmt, io/fs, os, strconv and syscall; time.Duration, time.Month,
// time.Weekday, and time.Time, in UTC. Of pointers to contexts, of pointers to types of package
// testing, and of structs without fields, only the type is shown.
//
// A string that is a whole value is quoted. A string within another value is quoted only if its
// characters would break the line. Byte slices that hold text are quoted like strings.
//
// A pointer shows what it points to, as far as that was recorded; %+v shows this for the outermost
// pointer only. Of a pointer that is a whole value and was not followed, the type is shown, too.
// Channels show their lengths, functions their names.
//
// The recording program cuts values at limits of depth and size, and a Printer at its width. A mark
// stands where something was cut off. …+3 are three bytes of a string, three elements or three
// entries of a map. … are fields, or the rest of the values. A map that was being written to has no
// entries. *** is a value that looked like a secret and was not recorded, ? a value that could not
// be read.
package value
