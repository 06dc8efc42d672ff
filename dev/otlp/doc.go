// Package otlp sends recordings to receivers made of what OpenTelemetry publishes of its protocol, over
// gRPC and HTTP, and compares what they were sent with the file and with the report.
package otlp
