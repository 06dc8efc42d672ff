// Package jaeger sends recordings of two processes to Jaeger, and compares what it answers with them,
// span by span. It does the same with the traces that two services keep under load, and takes their
// collector away.
package jaeger
