module github.com/waymark-go/waymark

go 1.21
