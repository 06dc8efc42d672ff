// Package config reads flags of commands from a file, waymark.toml, which is checked
// in next to the program's source:
//
//	exclude = ["./internal/generated/..."]   # for all commands that have the flag
//	top = 20
//
//	[record]                                 # for one command; comes before the above
//	all = true
//	overflow = "drop"
//
// Keys are the names of flags, without dashes. A repeatable flag takes a list of
// strings, or a string. Patterns and names of files are relative to the file's
// folder. What the command line has is left as it is.
//
// A file is checked as a whole. A key that is no flag, or a value of another type,
// is an error with its position. Keys of commands that are not run are checked,
// too.
package config
