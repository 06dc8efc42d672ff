# make            builds bin/waymark
# make test       all tests; needs Go, what else they use is built or skipped aloud
# make bench      what tracing costs, in one run
# make test-counts  call counts against the go command's coverage counters, for real programs (minutes, downloads)
# make test-million  memory of a million goroutines in traced calls
# make test-std   GOROOT/src rewritten and built (minutes)
# make fuzz       every fuzz target for FUZZTIME
# make lint       gofmt, go vet, staticcheck, go mod tidy

GO       ?= go
FUZZTIME ?= 30s
BIN      := $(CURDIR)/bin
MODULES  := . cmd/waymark benchmarks examples/shop
SOURCES  := $(shell git ls-files -co --exclude-standard '*.go' '*.s' 2>/dev/null)

.PHONY: all test test-counts test-million test-std bench fuzz lint vet cross clean

all: $(BIN)/waymark

$(BIN)/waymark: $(SOURCES) go.work cmd/waymark/go.mod
	cd cmd/waymark && $(GO) build -o $@ .

# dlv and staticcheck, at the versions that tools/go.mod names.
$(BIN)/dlv $(BIN)/staticcheck: tools/go.mod
	cd tools && GOWORK=off $(GO) build -o $(BIN)/ tool

test: vet cross $(BIN)/dlv
	@: >$(BIN)/test.log
	@$(call gotest,.,./...)
	@$(call gotest,.,-race ./format ./tracefile ./agent)
	@$(call gotest,examples/shop,./...)
	@$(call gotest,cmd/waymark,-timeout 30m ./...)
	@grep -q -- '--- SKIP' $(BIN)/test.log && { echo; echo "SKIPPED:"; grep -A1 -- '--- SKIP' $(BIN)/test.log; } || echo "nothing was skipped"

# gotest runs go test in a module, prints a line for each package, and everything
# if a test fails. What was skipped, and why, is in the log.
gotest = (cd $(1) && PATH="$(BIN):$$PATH" $(GO) test -v $(2)) >$(BIN)/part.log 2>&1; status=$$?; cat $(BIN)/part.log >>$(BIN)/test.log; \
	if [ $$status = 0 ]; then grep -E '^(ok|\?) ' $(BIN)/part.log | grep -v 'no test files'; else grep -vE '^(=== |\s*--- (PASS|SKIP)|ok )' $(BIN)/part.log; exit $$status; fi

vet:
	@test -z "$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go' 2>/dev/null | grep -v testdata))" || { gofmt -l .; echo "run gofmt -w"; exit 1; }
	@for m in $(MODULES); do (cd $$m && $(GO) vet ./...) || exit 1; done

# Each module builds by itself, and library and tool on every platform.
cross:
	@for m in $(MODULES); do (cd $$m && GOWORK=off $(GO) build -o /dev/null ./...) || exit 1; done
	@for os in linux darwin windows; do for arch in amd64 arm64; do \
		for m in . cmd/waymark; do (cd $$m && CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -o /dev/null ./...) || exit 1; done; \
	done; done

test-counts:
	cd cmd/waymark && $(GO) test -run TestCounts -counts -v -timeout 60m .

test-million:
	cd cmd/waymark && $(GO) test -run TestMillion -million -v .

test-std:
	cd cmd/waymark/internal/instrument && $(GO) test -long -v -timeout 60m .

bench: $(BIN)/waymark
	cd benchmarks && $(BIN)/waymark build --include ./traced --all -o $(BIN)/bench . && $(BIN)/bench -waymark $(BIN)/waymark

fuzz:
	@for m in . cmd/waymark; do (cd $$m && $(GO) list -f '{{.Dir}}' ./... | while read d; do \
		grep -hoE '^func Fuzz[A-Za-z]+' $$d/*_test.go 2>/dev/null | sed 's/func //' | while read f; do \
			echo "$$d $$f"; (cd $$d && $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) .) || exit 1; \
		done || exit 1; done) || exit 1; done

lint: vet $(BIN)/staticcheck
	@for m in $(MODULES); do (cd $$m && $(BIN)/staticcheck ./...) || exit 1; done
	@for m in $(MODULES) tools; do (cd $$m && GOWORK=off $(GO) mod tidy -diff) || exit 1; done

clean:
	rm -rf $(BIN)
