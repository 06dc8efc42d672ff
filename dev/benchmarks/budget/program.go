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

	// A program with a package of tests is that test program, traced with values. Tiny functions are left
	// out: called through hooks instead of inlined they cost more than a budget before anything is on.
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

// sizes are how much of the jobs of subject.Programs a program does, so that it runs for one to four
// seconds.
var sizes = map[string]float64{"bbolt (key-value store)": 0.5, "shop (HTTP service)": 0.7}

// programs returns the twelve. Each takes one to four seconds of CPU time plain. The suites are those of
// dev/compatibility's list that become slowest when all is recorded.
func programs() []program {
	var list []program
	for _, s := range subject.Programs() {
		args, part := s.Args, sizes[s.Name]
		if part > 0 {
			s.Args = func(p subject.Place, size float64) []string { return args(p, part*size) }
		}
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
		suite("btree (suite)", "github.com/google/btree@v1.1.3", ".", 2),
		suite("compress/huff0 (suite)", "github.com/klauspost/compress@v1.20.3", "./huff0", 2, "-test.short"),
		suite("goldmark (suite)", "github.com/yuin/goldmark@v1.8.7", ".", 100, "-test.skip=Performance"),
		suite("json-iterator (suite)", "github.com/json-iterator/go@v1.1.12", "./misc_tests", 2),
		suite("protobuf (suite)", "google.golang.org/protobuf@v1.36.12", "./proto", 60),
		program{load: "./cmd/load", Subject: subject.Subject{
			Name: "grpc (service)", Module: "google.golang.org/grpc@v1.85.0", Main: "./cmd/serve",
			Add:  map[string]string{"cmd/serve/main.go": grpcServer, "cmd/load/main.go": grpcLoad},
			Args: func(_ subject.Place, size float64) []string { return []string{strconv.Itoa(int(40_000 * size))} },
		}},
		program{load: "./cmd/load", serve: []string{"-requests", "0", "-serve"}, Subject: subject.Subject{
			Name: "shop (service)", Module: "../../../examples/shop", Main: ".",
			Add:  map[string]string{"cmd/load/main.go": shopLoad},
			Args: func(_ subject.Place, size float64) []string { return []string{strconv.Itoa(int(9_000 * size))} },
		}},
	)
}

// suite returns the program of a package's tests, which run so many times.
func suite(name, module, pkg string, times float64, flags ...string) program {
	return program{test: pkg, Subject: subject.Subject{
		Name: name, Module: module,
		Args: func(_ subject.Place, size float64) []string {
			return append([]string{"-test.count=" + atLeastOne(times*size), "-test.timeout=0"}, flags...)
		},
	}}
}

func atLeastOne(n float64) string { return strconv.Itoa(max(1, int(n))) }
