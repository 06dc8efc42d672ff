// Package spans encodes spans of OpenTelemetry's protocol, OTLP, and sends them to a collector.
//
//	c, err := spans.NewClient(spans.Config{URL: "grpc://localhost:4317"})
//	...
//	var r spans.Request
//	r.Add(&spans.Span{Resource: spans.NewResource("shop"), Name: "main.handle"})
//	body, _ := c.Encode(&r)
//	err = c.Post(ctx, body)
//
// The command's export and the package otlp of programs use it. It is made of the standard library.
package spans
