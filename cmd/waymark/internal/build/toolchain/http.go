package toolchain

// httpAnchors are the places in package net/http, and in its parts for HTTP/2, where a handler sets the status of its
// response.
var httpAnchors = []anchor{
	{file: "server.go", fn: "response.WriteHeader", before: "w.wroteHeader = true", text: "runtime.WMAnswer(code); "},
	{file: "server.go", fn: "timeoutWriter.WriteHeader", before: "tw.writeHeaderLocked(code)", text: "if tw.err == nil && !tw.wroteHeader { runtime.WMAnswer(code) }; "},
	{file: "h2_bundle.go", each: "^writeHeader$", before: "rws.wroteHeader = true", text: "runtime.WMAnswer(code); "},
	{file: "internal/http2/server.go", each: "^writeHeader$", before: "rws.wroteHeader = true", text: "runtime.WMAnswer(code); "},
}

// PatchHTTP returns the overlay with which package net/http of the toolchain at goroot tells which status handlers
// answer with. Its parameters are those of Patch.
func PatchHTTP(goroot, version string, untested bool) (map[string]File, error) {
	return patchPackage(goroot, version, "net/http", untested, httpAnchors)
}
