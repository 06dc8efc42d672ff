// A module of its own: only make test-delve needs Delve, whose programs it runs.
module github.com/waymark-go/waymark/dev/delve

go 1.26
