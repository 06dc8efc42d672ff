module github.com/waymark-go/waymark/examples/requests

go 1.26

require github.com/waymark-go/waymark v0.0.0
