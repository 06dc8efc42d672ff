// Package jaeger sends recordings of two processes to Jaeger, and compares what it answers with them,
// span by span.
package jaeger
