module github.com/waymark-go/waymark/prometheus

go 1.23.0

require github.com/waymark-go/waymark v0.0.0

replace github.com/waymark-go/waymark => ../
