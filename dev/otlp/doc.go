// Package otlp sends recordings, and traces of running programs, over gRPC and HTTP. The receivers are
// made of what OpenTelemetry publishes of its protocol. The package compares what the receivers were
// sent with the file and with the report.
package otlp
