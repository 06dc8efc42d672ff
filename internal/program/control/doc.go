// Package control lets commands look into the running program and switch its functions: the
// protocol between both, and the program's side of it.
//
// A message is its length, 4 bytes, the most significant first, and that many bytes of JSON. The
// client sends a Request and gets one Response, again and again on one connection. What a connection
// has switched on goes when it ends, however that happens, unless the request says Keep.
//
// The package doesn't know the switchboard: a Host does what is asked for.
package control
