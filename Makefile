# make               builds bin/waymark
# make test          the tests for each change; needs Go, what else they use is skipped aloud
# make test-long     the same tests in full: other toolchains, platforms, large packages
# make bench         what tracing costs, in one run
# make bench-peers   the same in full, with other tracers, into docs (most of an hour)
# make bench-programs  three real programs, plain and traced, into docs (an hour or two, downloads)
# make bench-budget  twelve real programs with budgets, into docs (most of an hour, downloads)
# make bench-phases  a picture of a recording that keeps its budget, into docs
# make bench-serve   waymark serve of a billion events: index, answers, zoom steps in Chromium, memory (minutes, 3 GB of disk)
# make bench-traces  a million traces of which twenty are kept, a picture into docs (a minute)
# make bench-live    what watching a running program costs it (minutes, downloads)
# make bench-latency what live commands cost a service's requests (minutes, downloads)
# make bench-store   a program of calls only, with all kinds of tracing, into docs (minutes)
# make test-counts   call counts against the go command's coverage counters (minutes, downloads)
# make test-budget   calls with a budget: all are counted, long ones recorded (minutes, downloads)
# make test-attach  programs that plain Go has built, patched: more builds, attached and killed more often (minutes)
# make test-estimates  own times that a budget of 10% estimates, judged by perf, in twelve real programs (minutes, downloads, perf)
# make test-traces   traces of an HTTP and a gRPC server, against a recording (a minute, downloads)
# make test-million  memory of a million goroutines in traced calls (takes 3 GB)
# make test-billion  memory of readers of a billion events, and how much they read for a window (minutes, 2 GB of disk)
# make test-waits    when goroutines ran, against runtime/trace
# make test-exports  exports: rate and memory with 100 million events, what other programs read of them (minutes, node, chromium, downloads)
# make test-sql      the queries of docs/scale.md in DuckDB, against waymark's reports (a minute, cgo, downloads)
# make test-delve    variables at the lines of Delve's own programs, against what Delve shows (4 minutes, downloads)
# make test-otlp     spans over gRPC and HTTP, read with OpenTelemetry's own packages (a minute, downloads)
# make test-ui       the pages of waymark serve in Chromium, pictures into bin/ui; a part of make test
# make pictures      the pictures of README and docs, from the pages, in Chromium; needs img2webp, too (Debian's webp)
# make docs          the documents as pages with a search, which need no server, into bin/site
# make test-jaeger   recordings of two processes, and what is kept of 100,000 requests, in Jaeger (9 minutes, most to build it; downloads)
# make bench-tail    what keeping slow and failed requests costs two services, with Jaeger (minutes, as test-jaeger)
# make test-usdt     bpftrace and perf see the probes of package probe, with and without -race (a minute, root; installs bpftrace)
# make bench-usdt    what probes cost, off and with bpftrace, beside a uprobe (a minute, root; installs bpftrace)
# make test-cross    instrumented programs for every platform, their standard library too (minutes)
# make test-values   values recorded while other goroutines change them (minutes)
# make test-modes    plugins, libraries for C, sanitizers, profiles, fuzzing (minutes; -msan: clang)
# make test-modules  test suites of other modules, plain and traced (an hour or two, downloads)
# make test-defaults  the same suites as waymark test --trace runs them: times, disk (hours, downloads)
# make test-planted  mistakes in six modules, and what waymark test --trace prints (minutes, downloads)
# make test-affected mutations in eleven modules: tests that fail against what waymark test --affected chooses (MUTATIONS=200 for more, an hour; downloads)
# make test-gates    suites of seven modules again and again, against their counts (hours; RERUNS=200; downloads)
# make test-rewriter GOROOT/src, GOROOT/test (or GOROOT_TEST=), module cache, random programs (an hour)
# make fuzz          every fuzz target for FUZZTIME
# make release VERSION=v0.9.0 OUT=DIR   modules as a proxy, archives of the command, notes, checksums (PLATFORMS=, WRITE=1, VERIFY=1: see CONTRIBUTING.md)
# make lint          gofmt, go vet, staticcheck, go mod tidy, govulncheck where it can be had
# make clean         removes bin
# make help          lists these

GO       ?= go
FUZZTIME ?= 30s
GOVULNCHECK ?= golang.org/x/vuln/cmd/govulncheck@v1.9.0
BIN      := $(CURDIR)/bin
JAEGER   := github.com/jaegertracing/jaeger@v1.76.0
MODULES  := . cmd/waymark dev/benchmarks dev/compatibility dev/release examples/shop examples/facility examples/requests examples/store
# Modules in workspaces of their own, so that the others don't get what they require.
APART    := dev/benchmarks/peers contrib/prometheus dev/ui dev/site
# The same, of make targets that few need: make lint looks at them too.
SELDOM   := dev/servers dev/sql dev/delve dev/otlp dev/jaeger
SOURCES  := $(shell git ls-files -co --exclude-standard '*.go' '*.s' cmd/waymark/internal/screen/ui/assets 2>/dev/null)

.PHONY: all help test test-long test-counts test-million test-billion test-waits test-exports test-sql test-delve test-otlp test-jaeger test-gates test-cross test-values test-modes test-budget test-attach test-estimates test-traces test-defaults test-planted test-affected test-modules test-rewriter bench bench-peers bench-programs bench-budget bench-phases bench-live bench-latency bench-traces bench-tail bench-store fuzz lint vet cross clean release tracer test-usdt bench-usdt test-ui pictures docs bench-serve

all: $(BIN)/waymark

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

$(BIN)/waymark: $(SOURCES) go.work cmd/waymark/go.mod
	cd cmd/waymark && $(GO) build -ldflags="-s -w" -o $@ .

# dlv and staticcheck, at the versions that dev/tools/go.mod names.
$(BIN)/dlv: PACKAGE = github.com/go-delve/delve/cmd/dlv
$(BIN)/staticcheck: PACKAGE = honnef.co/go/tools/cmd/staticcheck
$(BIN)/dlv $(BIN)/staticcheck: dev/tools/go.mod
	cd dev/tools && GOWORK=off $(GO) build -o $@ $(PACKAGE)

# The parts of make test. Some use one core only, so that JOBS of them run side by side; each prints
# what it has to say when it ends. vet comes before them: it compiles what they share.
JOBS  ?= 2
PARTS := scripts race command library cross dev/compatibility dev/release dev/benchmarks/peers dev/benchmarks examples/shop examples/facility examples/requests examples/store \
	contrib/prometheus dev/ui dev/site

test:
	@rm -rf $(BIN)/test && mkdir -p $(BIN)/test
	@echo "make test: gofmt and go vet, then $(words $(PARTS)) parts, $(JOBS) at a time"
	@$(MAKE) -s vet
	@$(MAKE) -s -j$(JOBS) $(PARTS:%=part/%); status=$$?; \
	cat $(BIN)/test/*.log | awk '$(SKIPPED)'; \
	if [ $$status != 0 ]; then cat $(BIN)/test/*.said; echo "FAILED: $$(cd $(BIN)/test && echo *.said | sed 's/[.]said//g'); make test ended there"; fi; exit $$status

part/library:
	@$(call gotest,.,-short ./...)

# Packages whose tests run goroutines side by side, with -short and without tests that become ten times
# slower and have no goroutines, or only such as others have. All the others: make test-long.
RACE := . ./agent ./callgraph ./internal/pattern ./internal/program/agent ./internal/program/clock ./internal/program/console ./internal/program/control ./internal/program/gather ./internal/program/inspect \
	./internal/program/recorder ./internal/program/seen ./internal/program/switchboard ./monitor ./otlp ./probe ./sampler ./stats ./timing ./trace ./tracefile
SLOW_RACE := ^(TestEveryBitFlipped|TestReadTurningRing|TestRandomPrograms|TestEquallyHot|TestIndexed|TestPprof|TestGiveBackShares|TestGiveBackAnyMoment|TestSmallDisk|TestDiskFills)$$

part/race:
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ]; then $(call gotest,.,-race -short -skip '$(SLOW_RACE)' $(RACE)); \
	else echo "SKIPPED: -race needs cgo and a C compiler"; fi

part/scripts:
	@$(call gotest,cmd/waymark,-run '$(BY_HAND)' $(ENDTOEND))

# The longest one begins first.
part/command:
	@$(call gotest,cmd/waymark,-skip '$(BY_HAND)' $(ENDTOEND) ./...)

# The benchmarks are run by make test-long: one of each kind takes minutes.
part/dev/benchmarks part/dev/benchmarks/peers:
	@$(call gotest,$(@:part/%=%),-short ./...)

part/dev/ui: $(BIN)/waymark
	@$(call gotest,dev/ui,. -screenshots $(BIN)/ui)

part/cross:
	@$(call part,$(MAKE) -s cross)

part/%:
	@$(call gotest,$*,./...)

# Tests of the whole command. Some do what a user does by hand: run the command with the real go command.
ENDTOEND := ./internal/endtoend
BY_HAND  := ^(TestScripts|TestGuide|TestInstrumentedModules)$$

# What make test leaves out of tests that it runs.
test-long:
	@$(MAKE) -s $(BIN)/dlv || echo "dlv can't be built: what needs it is skipped"
	$(call compile,$(LONG_PLATFORMS))
	$(GO) test -race -timeout $(TIMEOUT) ./...
	cd cmd/waymark && PATH="$(BIN):$$PATH" $(GO) test $(ENDTOEND) -run '^(TestScripts|TestInstrumentedModules|TestGather|TestReadingDeep|TestRecordings|TestLevels|TestMCP|TestCross|TestChroot|TestClients)$$' -long -v -timeout $(TIMEOUT)
	$(GO) test ./sampler -run '^TestAgainstPprof$$' -long -v
	cd cmd/waymark && $(GO) test ./internal/rewrite/instrument ./internal/rewrite/inlinecost -run '^(TestStd|TestCalibration)$$' -long -timeout $(TIMEOUT)
	cd cmd/waymark && $(GO) test ./internal/build/cover -run '^TestStd$$' -std -timeout $(TIMEOUT)
	for d in dev/benchmarks dev/benchmarks/peers; do (cd $$d && PATH="$(BIN):$$PATH" $(GO) test -timeout $(TIMEOUT) ./...) || exit 1; done

# A machine four times slower than two quiet cores comes nowhere near it.
TIMEOUT := 60m

# part runs a command with its output in the part's log. It says when the part begins and ends, with a line for each
# package, and at once what failed tests said. When one has failed no other part begins.
part = part=$(subst /,-,$(@:part/%=%)); log=$(BIN)/test/$$part; began=$$(date +%s); mkdir -p $(BIN)/test; echo "begins $$part"; \
	( $(1) ) >$$log.log 2>&1; status=$$?; \
	if [ $$status = 0 ]; then grep -E '^ok ' $$log.log; echo "ended  $$part, $$(($$(date +%s) - began)) s"; \
	else awk '$(FAILED)' $$log.log | grep -v '^ok' >$$log.said; cat $$log.said; echo "FAILED $$part, $$(($$(date +%s) - began)) s"; fi; exit $$status

# gotest is part for the tests of a module. They end with the first that fails, but with make -k.
ONE_BY_ONE := $(if $(findstring k,$(firstword -$(MAKEFLAGS))),,-failfast)
gotest = $(call part,cd $(1) && PATH="$(BIN):$$PATH" $(GO) test -v $(ONE_BY_ONE) -timeout $(TIMEOUT) $(2))

FAILED = function say(t,  i) { for (i = 0; i < lines[t]; i++) print said[t, i] } \
	/^=== / { test = $$3; next } \
	/^ *--- / && match($$0, /-/) - 1 <= 4 * (split($$3, names, "/") - 1) { if ($$2 == "FAIL:") { print; say($$3) } lines[$$3] = 0; next } \
	/^(PASS|FAIL)$$/ || /no test files/ { next } \
	/^(ok|FAIL)[ \t]/ { if ($$1 == "FAIL") say(test); print; split("", said); split("", lines); test = ""; next } \
	test == "" { print; next } \
	{ said[test, lines[test]++] = $$0 }

# What was skipped, each with the last thing that the test said.
SKIPPED = /^=== (RUN|CONT|NAME)/ { test = $$3 } \
	/^ +[a-z0-9_]+\.go:[0-9]+: / && !/^ +testscript\.go/ { sub(/^ +[^ ]+ /, ""); why[test] = $$0 } \
	/^ *--- SKIP:/ { print "SKIPPED: " $$3 ": " why[$$3]; n++ } \
	END { if (!n) print "nothing was skipped" }

vet:
	@out=$$(find . -name '*.go' -not -path '*/testdata/*' -exec gofmt -l {} +); test -z "$$out" || { echo "run gofmt -w on" $$out; exit 1; }
	@for m in $(MODULES) $(APART); do (cd $$m && $(GO) vet ./...) || exit 1; done

# Library and tool, with their tests, compile on other platforms: two for make test-long, all for make
# test-cross. make test checks their types only (TestPlatforms), which takes a tenth of the time.
LONG_PLATFORMS := windows/amd64 darwin/arm64
ALL_PLATFORMS  := linux/amd64 linux/arm64 linux/386 linux/riscv64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# Each module builds with nothing but what it requires.
cross:
	@for m in $(MODULES); do (cd $$m && $(call alone,$$m) && GOWORK=off $(GO) build -modfile=$(BIN)/alone.mod -o /dev/null ./...) || exit 1; done

# alone writes the go.mod of a module, in whose folder it is called, as it is without a workspace.
alone = mkdir -p $(BIN) && cp go.mod $(BIN)/alone.mod && { cp go.sum $(BIN)/alone.sum 2>/dev/null || : >$(BIN)/alone.sum; } && \
	{ [ $(1) = . ] || $(GO) mod edit -replace=github.com/waymark-go/waymark=$(CURDIR) -replace=github.com/waymark-go/waymark/dev/benchmarks=$(CURDIR)/dev/benchmarks $(BIN)/alone.mod; }

compile = for p in $(1); do for m in . cmd/waymark; do \
		(cd $$m && CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p\#*/} $(GO) vet ./...) || exit 1; \
	done; done

test-counts:
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run '^Test(Seen|Object)?Counts$$' -counts -v -timeout 60m

test-budget:
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run TestBudget -budgets -v -timeout 60m

test-traces:
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run TestTraces -traces -v -timeout 60m

test-million:
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run TestMillion -million -v

test-billion:
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run 'TestReadersMemory|TestReadersWindow' -billion -v -timeout 60m

test-waits:
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run TestWaits -waits -v

test-exports:
	cd cmd/waymark && $(GO) test ./internal/export -run '^(TestReaders|TestChromeViewer|TestLarge)$$' -v -readers -timeout 30m
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run '^TestExportRate$$' -exports -v -timeout 60m

test-sql: $(BIN)/waymark
	cd dev/sql && $(GO) test -waymark $(BIN)/waymark -v .

test-delve: $(BIN)/waymark $(BIN)/dlv
	cd dev/delve && $(GO) test -waymark $(BIN)/waymark -dlv $(BIN)/dlv -timeout $(TIMEOUT) -v .

test-otlp: $(BIN)/waymark
	cd dev/otlp && $(GO) test -waymark $(BIN)/waymark -v .

test-ui: $(BIN)/waymark
	cd dev/ui && $(GO) test -count=1 -v . -screenshots $(BIN)/ui

pictures: $(BIN)/waymark
	cd dev/ui && $(GO) test -count=1 -run '^(TestPictures|TestZoom)$$' -v . -pictures $(CURDIR)/docs

docs:
	rm -rf $(BIN)/site
	cd dev/site && $(GO) run . -root $(CURDIR) -out $(BIN)/site

test-jaeger: $(BIN)/waymark $(BIN)/jaeger
	cd dev/jaeger && $(GO) test -waymark $(BIN)/waymark -jaeger $(BIN)/jaeger -v .

bench-tail: $(BIN)/waymark $(BIN)/jaeger
	cd dev/jaeger && $(GO) test -waymark $(BIN)/waymark -jaeger $(BIN)/jaeger -v -timeout 30m -run TestCost -cost 9 .
	cd dev/jaeger && taskset -c 1 $(GO) test -waymark $(BIN)/waymark -jaeger $(BIN)/jaeger -v -timeout 30m -run TestCost -cost 9 -rate 1000000 -one .

# Its module's folder is read-only, and this repository's workspace has nothing to do with it.
$(BIN)/jaeger:
	rm -rf $(BIN)/jaeger-source
	cp -r "$$(cd dev/compatibility && $(GO) mod download -json $(JAEGER) | sed -n 's/^\t"Dir": "\(.*\)",$$/\1/p')" $(BIN)/jaeger-source
	chmod -R u+w $(BIN)/jaeger-source
	cd $(BIN)/jaeger-source && GOWORK=off $(GO) build -o $@ ./cmd/jaeger
	rm -rf $(BIN)/jaeger-source

# The tests themselves are part of make test, where they are skipped aloud if something is missing.
test-usdt: tracer
	$(GO) test ./probe ./internal/wire/usdt -count=1 -v -timeout $(TIMEOUT)
	$(GO) test ./probe -race -count=1 -v -run '^TestTracer' -timeout $(TIMEOUT)
	cd cmd/waymark && $(GO) test $(ENDTOEND) -count=1 -v -run '^TestUSDT' -timeout $(TIMEOUT)

bench-usdt: tracer
	$(GO) test ./probe -count=1 -v -run '^TestTracerCost$$' -cost -timeout $(TIMEOUT)

# tracer gets what bpftrace needs, as far as it can be had here.
tracer:
	@command -v bpftrace >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "installing bpftrace" && \
		apt-get update -qq && apt-get install -y -qq bpftrace >/dev/null; } || echo "SKIPPED: bpftrace is missing and can't be installed here; install it as root"
	@[ -e /sys/kernel/tracing/uprobe_events ] || { [ "$$(id -u)" = 0 ] && mount -t tracefs nodev /sys/kernel/tracing; } || \
		echo "SKIPPED: tracefs is not mounted and can't be mounted here; as root: mount -t tracefs nodev /sys/kernel/tracing"

test-cross:
	$(call compile,$(ALL_PLATFORMS))
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run 'TestCross|TestArchitectures' -cross -v -timeout 60m

test-values:
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run TestValueStorm -values 3 -v -timeout 30m

test-modes:
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run TestModes -modes -v -timeout 60m

# With -race too for those that modules.txt marks. What has results isn't run again. ONLY='^golang.org' runs
# the suites that match; MORE='--waiting --objects' records with these flags, too.
test-modules: $(BIN)/waymark
	cd dev/compatibility && $(GO) build -o $(BIN)/compatibility . && for race in false true; do \
		$(BIN)/compatibility -waymark $(BIN)/waymark -results $(BIN)/modules$(if $(MORE),-more) -only='$(ONLY)' -more='$(MORE)' -race=$$race || exit 1; done

# The same suites, of test programs that plain Go has built: all of their functions are patched.
test-modules-patched: $(BIN)/waymark
	cd dev/compatibility && $(GO) build -o $(BIN)/compatibility . && $(BIN)/compatibility -waymark $(BIN)/waymark -results $(BIN)/modules-patched -only='$(ONLY)' -patch

# What has results isn't run again.
test-defaults: $(BIN)/waymark
	cd dev/compatibility && $(GO) build -o $(BIN)/compatibility . && $(BIN)/compatibility -waymark $(BIN)/waymark -results $(BIN)/modules -default 3

# RERUNS of each suite.
RERUNS ?= 200
test-gates:
	cd dev/compatibility && $(GO) test -run '^TestGates$$' -gates $(RERUNS) -v -timeout 0 .

# MUTATIONS of each module; ONLY=toml takes those whose path has it.
MUTATIONS ?= 20
test-affected:
	cd dev/compatibility && $(GO) test -run '^TestAffected$$' -affected $(MUTATIONS) -affected-only '$(ONLY)' -v -timeout 0 .

test-planted:
	cd dev/compatibility && $(GO) test -run TestPlanted -planted -v -timeout 60m .

test-rewriter:
	cd cmd/waymark/internal/rewrite/instrument && $(GO) test -long -programs 600 -v -timeout 90m .
	cd cmd/waymark/internal/rewrite && $(GO) test ./funcname -long -v && $(GO) test -v ./inlinecost
	cd cmd/waymark && $(GO) test $(ENDTOEND) -run 'TestGorootTest|TestModuleCache' -rewriter -goroot-test "$(GOROOT_TEST)" -v -timeout 4h

bench: $(BIN)/waymark
	cd dev/benchmarks && $(BIN)/waymark build --include ./traced --all --args=...traced.Ints,...traced.Text,...traced.Struct,...traced.Pointer,...traced.Bytes -o $(BIN)/bench . && $(BIN)/bench -waymark $(BIN)/waymark

# The functions of packages traced and grouped, some with their arguments.
LADDER := --include ../traced,../grouped --all --args=...traced.Ints,...traced.Text,...traced.Struct,...traced.Pointer,...traced.Bytes

bench-peers: $(BIN)/waymark
	@$(MAKE) -s $(BIN)/dlv || echo "dlv can't be built: it will be absent"
	cd dev/benchmarks/ladder && $(BIN)/waymark build $(LADDER) -o $(BIN)/ladder .
	cd dev/benchmarks/peers && $(GO) build -o $(BIN)/peers .
	cd dev/benchmarks/peers && $(BIN)/peers -waymark $(BIN)/waymark -ladder $(BIN)/ladder -dlv $(BIN)/dlv -docs ../../../docs

bench-store: $(BIN)/waymark
	cd examples/store && $(GO) build -o $(BIN)/store . && $(BIN)/waymark build --all --closures -o $(BIN)/store-traced .
	cd dev/benchmarks/store && $(GO) build -o $(BIN)/bench-store . && $(BIN)/bench-store -plain $(BIN)/store -traced $(BIN)/store-traced -docs ../../../docs

bench-programs: $(BIN)/waymark
	cd dev/benchmarks/programs && $(GO) build -o $(BIN)/programs . && $(BIN)/programs -waymark $(BIN)/waymark -docs ../../../docs

# What has samples isn't measured again: remove the file to begin anew. BUDGET adds flags, as in
# BUDGET='-programs suite -rounds 3'.
bench-budget: $(BIN)/waymark
	cd dev/benchmarks/budget && $(GO) build -o $(BIN)/bench-budget . && $(BIN)/bench-budget -waymark $(BIN)/waymark -samples $(BIN)/budget.csv -docs ../../../docs $(BUDGET)

# BUDGET='-programs goja' takes some of them.
bench-attach: $(BIN)/waymark
	cd cmd/waymark && $(GO) test ./internal/patch -run '^(TestCost|TestPause)$$' -cost -waymark $(BIN)/waymark -figures $(BIN)/attach.csv -v -timeout 30m
	cd dev/benchmarks/peers && $(GO) run ./attachplot -o ../../../docs/attach.svg $(BIN)/attach.csv

SOAK ?= 10m
test-attach:
	cd cmd/waymark && $(GO) test ./internal/patch -long -cycling 60s -killing 200 -soaking $(SOAK) -v -timeout 5h
	cd cmd/waymark && $(GO) test ./internal/patch/... -v

test-estimates: $(BIN)/waymark
	cd dev/benchmarks/budget && $(GO) build -o $(BIN)/bench-budget . && $(BIN)/bench-budget -waymark $(BIN)/waymark -estimates 10% $(BUDGET)

bench-phases: $(BIN)/waymark
	cd dev/benchmarks/phases && $(BIN)/waymark build -o $(BIN)/phases .
	WAYMARK=record,budget=10%,o=$(BIN)/phases.wmt $(BIN)/phases
	cd dev/benchmarks/peers && $(GO) run ./phaseplot -o ../../../docs/budget.svg $(BIN)/phases.wmt

# Statistics alone, traces of which twenty are kept, and both.
bench-live: $(BIN)/waymark
	cd dev/benchmarks/live/subject && $(BIN)/waymark build --args -o $(BIN)/live-subject .
	cd dev/benchmarks && $(GO) run ./live -waymark $(BIN)/waymark $(BIN)/live-subject
	cd dev/servers && GOWORK= $(BIN)/waymark build --all --args --results --include './...,google.golang.org/...,golang.org/x/...,net/...,crypto/...,encoding/...,go/...' -o $(BIN)/live-echo ./echo
	cd dev/benchmarks && $(GO) run ./live -waymark $(BIN)/waymark -rounds 60 -period 1s -watch main.server.UnaryCall $(BIN)/live-echo

bench-latency: $(BIN)/waymark
	GOBIN=$(BIN) $(GO) install github.com/tsenart/vegeta/v12@v12.12.0
	cd examples/shop && $(BIN)/waymark build --args --results -o $(BIN)/live-shop .
	cd dev/benchmarks && $(GO) run ./latency -waymark $(BIN)/waymark -vegeta $(BIN)/vegeta $(BIN)/live-shop
	cd examples/shop && $(GO) build -o $(BIN)/plain-shop .
	cd dev/benchmarks && $(GO) run ./latency -plain -waymark $(BIN)/waymark -vegeta $(BIN)/vegeta $(BIN)/plain-shop

# SERVE_EVENTS=100000000 takes less.
SERVE_EVENTS ?= 1000000000
bench-serve: $(BIN)/waymark
	rm -f $(BIN)/serve.*
	cd cmd/waymark && $(GO) test -count=1 -timeout 1h -v -run TestServe ./internal/read/levels -serve $(SERVE_EVENTS) -serve-file $(BIN)/serve
	cd dev/ui && $(GO) test -count=1 -timeout 1h -v -run TestLongTimeline . -long $(BIN)/serve.4.wmt -screenshots $(BIN)/ui
	rm -f $(BIN)/serve.*

bench-traces: $(BIN)/waymark
	cd dev/benchmarks/kept && $(BIN)/waymark build --all -o $(BIN)/kept .
	rm -f $(BIN)/kept.csv
	for round in 1 2 3; do \
		WAYMARK=stats,report=text:/dev/null $(BIN)/kept -name statistics -o $(BIN)/kept.csv && \
		WAYMARK= $(BIN)/kept -traces -name traces -o $(BIN)/kept.csv && \
		WAYMARK=stats,report=text:/dev/null $(BIN)/kept -traces -name both -o $(BIN)/kept.csv || exit 1; done
	cd dev/benchmarks/peers && $(GO) run ./keptplot -o ../../../docs/traces.svg $(BIN)/kept.csv

fuzz:
	@for m in . cmd/waymark; do (cd $$m && $(GO) list -f '{{.Dir}}' ./... | while read d; do \
		grep -hoE '^func Fuzz[A-Za-z]+' $$d/*_test.go 2>/dev/null | sed 's/func //' | while read f; do \
			echo "$$d $$f"; (cd $$d && $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) .) || exit 1; \
		done || exit 1; done) || exit 1; done

lint: vet $(BIN)/staticcheck
	@for m in $(SELDOM); do (cd $$m && $(GO) vet ./...) || exit 1; done
	@for m in $(MODULES) $(APART) $(SELDOM); do (cd $$m && $(BIN)/staticcheck ./...) || exit 1; done
	@for m in $(MODULES) $(APART) $(SELDOM); do (cd $$m && $(call alone,$$m) && GOWORK=off $(GO) mod tidy -modfile=$(BIN)/alone.mod -diff) || exit 1; done
	@cd dev/tools && GOWORK=off $(GO) mod tidy -diff
	@case "$$(cd dev/compatibility && $(GO) run $(GOVULNCHECK) ./... 2>&1)" in \
	*ulnerabilit*" found."*|*"Vulnerability #"*) \
		for m in $(MODULES) $(APART) $(SELDOM); do (cd $$m && $(GO) run $(GOVULNCHECK) ./...) || exit 1; done;; \
	*) echo "SKIPPED: govulncheck or its database can't be reached";; \
	esac

release:
	@$(GO) run ./dev/release -version '$(VERSION)' -out '$(OUT)' $(if $(PLATFORMS),-platforms '$(PLATFORMS)') $(if $(VERIFY),-verify) $(if $(WRITE),-write)

clean:
	rm -rf $(BIN)
