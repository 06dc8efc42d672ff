module github.com/waymark-go/waymark/dev/benchmarks

go 1.26

require (
	github.com/google/go-cmp v0.7.0
	github.com/waymark-go/waymark v0.0.0
)
