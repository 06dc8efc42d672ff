module github.com/waymark-go/waymark/examples/store

go 1.23.0
