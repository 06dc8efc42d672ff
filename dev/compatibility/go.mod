module github.com/waymark-go/waymark/dev/compatibility

go 1.26
