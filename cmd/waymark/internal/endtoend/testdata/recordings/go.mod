module github.com/waymark-go/waymark/recordings

go 1.22

require github.com/waymark-go/waymark v0.0.0

replace github.com/waymark-go/waymark => ../../../../../..
