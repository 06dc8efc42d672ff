module github.com/waymark-go/waymark/examples/shop

go 1.26
