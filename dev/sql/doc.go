// Package sql runs the queries of docs/scale.md in an engine that isn't waymark's, and compares what they
// answer with waymark's own reports.
package sql
