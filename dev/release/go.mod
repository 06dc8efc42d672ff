module github.com/waymark-go/waymark/dev/release

go 1.26.0

require golang.org/x/mod v0.33.0
