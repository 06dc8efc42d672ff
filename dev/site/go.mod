// A module of its own, so that goldmark isn't required of anything else.
module github.com/waymark-go/waymark/dev/site

go 1.26

require github.com/yuin/goldmark v1.8.7
