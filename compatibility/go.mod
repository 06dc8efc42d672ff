module github.com/waymark-go/waymark/compatibility

go 1.26
