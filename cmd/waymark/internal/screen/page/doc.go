// Package page writes a report as a page: one HTML file with a flame graph, a table of functions
// and the call tree. The file needs no server and no network.
//
//	r := report.New(report.Options{Tree: true})
//	...
//	err := page.Write(w, r, recording.Lacks(r.Recordings))
//
// The file holds the report as JSON, exactly as waymark report --format json prints it. It also
// holds the call tree, without the small paths if there are many. The Content-Security-Policy
// allows the script and the style of the file by their hashes, and nothing else.
package page
