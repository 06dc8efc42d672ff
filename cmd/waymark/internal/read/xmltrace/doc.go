// Package xmltrace makes recordings of trace files in XML, which package actions describes, so that
// all that reads recordings reads these files, too.
package xmltrace
