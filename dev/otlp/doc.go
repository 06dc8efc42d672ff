// Package otlp sends recordings, over gRPC and HTTP, to receivers made of what OpenTelemetry
// publishes of its protocol. It compares what the receivers were sent with the file and with the
// report.
package otlp
