// A module of its own: only make test-jaeger builds Jaeger.
module github.com/waymark-go/waymark/dev/jaeger

go 1.26.0
