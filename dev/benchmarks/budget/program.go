package main

import (
	_ "embed"
	"path/filepath"
	"strconv"

	"github.com/waymark-go/waymark/dev/benchmarks/subject"
)

// A program is a subject, and how it is built and run.
type program struct {
	subject.Subject

	// A program with a package of tests is that test program, traced with values as `waymark test
	// --trace` does.
	test string

	// A program with a load is a service. The load is a package of its module that gets the service's
	// address and then the arguments that the subject returns; it is never traced.
	load  string
	serve []string // arguments of the service
}

//go:embed drivers/goja.go.txt
var gojaDriver string

//go:embed drivers/job.js
var gojaJob string

//go:embed drivers/esbuild.go.txt
var esbuildDriver string

//go:embed drivers/grpcserver.go.txt
var grpcServer string

//go:embed drivers/grpcload.go.txt
var grpcLoad string

//go:embed drivers/shopload.go.txt
var shopLoad string

// programs returns the twelve. Each runs for one to four seconds plain.
func programs() []program {
	var list []program
	for _, s := range subject.Programs() {
		list = append(list, program{Subject: s})
	}
	return append(list,
		program{Subject: subject.Subject{
			Name: "goja (interpreter)", Module: "github.com/dop251/goja@v0.0.0-20260917113740-793a2a65c13b", Main: "./cmd/run",
			Add: map[string]string{"cmd/run/main.go": gojaDriver, "cmd/run/job.js": gojaJob},
			Args: func(p subject.Place, size float64) []string {
				return []string{filepath.Join(p.Module, "cmd", "run", "job.js"), atLeastOne(15 * size)}
			},
		}},
		program{Subject: subject.Subject{
			Name: "esbuild (compiler)", Module: "github.com/evanw/esbuild@v0.28.2", Main: "./cmd/run",
			Add:  map[string]string{"cmd/run/main.go": esbuildDriver},
			Args: func(p subject.Place, size float64) []string { return []string{p.Module, atLeastOne(12 * size)} },
		}},
		suite("btree (suite)", "github.com/google/btree@v1.1.3", ".", "-test.run=."),
		suite("goldmark (suite)", "github.com/yuin/goldmark@v1.8.7", ".", "-test.skip=Performance"),
		suite("json-iterator (suite)", "github.com/json-iterator/go@v1.1.12", "./value_tests", "-test.run=."),
		suite("toml (suite)", "github.com/BurntSushi/toml@v1.6.0", ".", "-test.run=."),
		suite("goja (suite)", "github.com/dop251/goja@v0.0.0-20260917113740-793a2a65c13b", ".", "-test.short"),
		program{load: "./cmd/load", Subject: subject.Subject{
			Name: "grpc (service)", Module: "google.golang.org/grpc@v1.85.0", Main: "./cmd/serve",
			Add:  map[string]string{"cmd/serve/main.go": grpcServer, "cmd/load/main.go": grpcLoad},
			Args: func(_ subject.Place, size float64) []string { return []string{strconv.Itoa(int(60_000 * size))} },
		}},
		program{load: "./cmd/load", serve: []string{"-requests", "0", "-serve"}, Subject: subject.Subject{
			Name: "shop (service)", Module: "../../../examples/shop", Main: ".",
			Add:  map[string]string{"cmd/load/main.go": shopLoad},
			Args: func(_ subject.Place, size float64) []string { return []string{strconv.Itoa(int(16_000 * size))} },
		}},
	)
}

// suite returns the program of a package's tests.
func suite(name, module, pkg string, flags ...string) program {
	return program{test: pkg, Subject: subject.Subject{
		Name: name, Module: module,
		Args: func(_ subject.Place, size float64) []string {
			return append([]string{"-test.count=1", "-test.timeout=0"}, flags...)
		},
	}}
}

func atLeastOne(n float64) string { return strconv.Itoa(max(1, int(n))) }
