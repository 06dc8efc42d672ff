module github.com/waymark-go/waymark/pauses

go 1.25

require github.com/waymark-go/waymark v0.0.0

replace github.com/waymark-go/waymark => ../../../../../..
