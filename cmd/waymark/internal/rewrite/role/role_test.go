package role_test

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/candidate"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/role"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/internal/wire/format"
)

const source = `package p

import (
	"context"
	web "net/http"
	"testing"

	"cloud.google.com/go/pubsub/v2"
	"github.com/gin-gonic/gin"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v4"
	"github.com/nats-io/nats.go"
	"github.com/riverqueue/river"
	"github.com/segmentio/kafka-go"
	"google.golang.org/grpc"

	"example.com/m/pb"
)

type service struct{ pb.UnimplementedShopServer }
type other struct{ web.Handler }
type args struct{}

func http(w web.ResponseWriter, r *web.Request)                             {}
func httpError(w web.ResponseWriter, r *web.Request) error                  { return nil }
func (other) httpMethod(web.ResponseWriter, *web.Request)                   {}
func httpRouter(w web.ResponseWriter, r *web.Request, _ httprouter.Params)  {}
func httpGin(c *gin.Context)                                                {}
func httpEcho(c echo.Context) error                                         { return nil }
var httpLiteral = func(w web.ResponseWriter, r *web.Request)                { http(w, nil); http(r, w) }
var httpWrapping = func(w web.ResponseWriter, r *web.Request)               { web.DefaultServeMux.ServeHTTP(nil, r.WithContext(nil)) }
var httpGinNext = func(c *gin.Context)                                      { c.Next() }
func adapt(h func(*web.Request) error) web.HandlerFunc                      { return func(w web.ResponseWriter, r *web.Request) { if h(r) != nil { w.WriteHeader(500) } } }
var httpMiddleware = func(w web.ResponseWriter, r *web.Request)             { defer func() { recover() }(); if r != nil { http(w, (r)) } }

func noPointer(w web.ResponseWriter, r web.Request)          {}
func noOrder(r *web.Request, w web.ResponseWriter)           {}
func noMore(w web.ResponseWriter, r *web.Request, n int)     {}
func noResult(w web.ResponseWriter, r *web.Request) bool     { return true }
func noLess(w web.ResponseWriter)                            {}
func noneAtAll()                                             {}

func grpcUnary(srv interface{}, ctx context.Context, dec func(any) error, i grpc.UnaryServerInterceptor) (any, error) { return nil, nil }
func grpcStream(srv any, stream grpc.ServerStream) error                 { return nil }
func (s *service) GrpcBuy(ctx context.Context, o *pb.Order) (*pb.Receipt, error) { return nil, nil }
func (s *service) noHelper() error                                       { return nil }
func (s *service) NoClose()                                              {}
func (s *service) NoFlush(n int) error { return nil }
func (s *service) GrpcWatch(o *pb.Order, stream pb.Shop_WatchServer) error { return nil }
func (other) NoService(ctx context.Context) error                        { return nil }

func queueKafka(ctx context.Context, m kafka.Message) error              { return nil }
func queueBatch(ms []kafka.Message)                                      {}
func queueNATS(m *nats.Msg)                                              {}
func queuePubSub(ctx context.Context, m *pubsub.Message)                 {}
func queueRiver(ctx context.Context, j *river.Job[args]) error           { return nil }
func noKey(m kafka.Message) string                                       { return "" }

func testOne(t *testing.T)         {}
func noBench(b *testing.B)         {}
`

// roles returns the roles of the functions of a file, by their names.
func roles(importPath, source string) map[string]format.SiteFlags {
	r, own := read(importPath, source)
	found := make(map[string]format.SiteFlags)
	for _, f := range own {
		found[f.Base] = r.Of(f)
	}
	return found
}

func read(importPath, source string) (*role.Roles, []*candidate.Func) {
	u := &syntax.Unit{ImportPath: importPath, Files: []syntax.File{{Path: "p.go", Source: []byte(source)}}}
	t := syntax.Parse(u, &syntax.Config{PackageNames: map[string]string{
		"github.com/nats-io/nats.go": "nats", "github.com/segmentio/kafka-go": "kafka",
	}})
	own, _ := candidate.List(t, flow.Of(t))
	return role.New(t), own
}

// Contexts, requests, messages and streams may name a span.
func TestCarriers(t *testing.T) {
	want := map[string]string{
		"http": "[1]", "httpError": "[1]", "httpMethod": "[1]", "httpRouter": "[1]", "httpGin": "[0]", "httpEcho": "[0]",
		"init.func1": "[1]", "init.func2": "[1]", "init.func3": "[0]", "init.func4": "[1]", "adapt.func1": "[1]", "noOrder": "[0]", "noMore": "[1]", "noResult": "[1]",
		"grpcUnary": "[1]", "grpcStream": "[1]", "GrpcBuy": "[0]", "GrpcWatch": "[1]", "NoService": "[0]",
		"queueKafka": "[0 1]", "queueBatch": "[0]", "queueNATS": "[0]", "queuePubSub": "[0 1]", "queueRiver": "[0 1]", "noKey": "[0]",
	}
	r, own := read("example.com/m/p", source)
	for _, f := range own {
		if got := fmt.Sprint(r.Carriers(f)); got != cmp.Or(want[f.Base], "[]") {
			t.Errorf("%s: %s, want %s", f.Base, got, want[f.Base])
		}
		if got := f.Lit != nil && role.HandsOn(f); got != (f.Base == "init.func2" || f.Base == "init.func3" || f.Base == "init.func4" || f.Base == "adapt.func1") {
			t.Errorf("%s hands its parameters on: %v", f.Base, got)
		}
	}
}

func TestRoles(t *testing.T) {
	want := map[string]format.SiteFlags{
		"http": format.HTTP, "httpError": format.HTTP, "httpMethod": format.HTTP, "httpRouter": format.HTTP, "httpGin": format.HTTP,
		"httpEcho": format.HTTP, "init.func1": format.HTTP, "init.func2": format.HTTP, "init.func3": format.HTTP, "init.func4": format.HTTP, "adapt.func1": format.HTTP,
		"grpcUnary": format.GRPC, "grpcStream": format.GRPC, "GrpcBuy": format.GRPC, "GrpcWatch": format.GRPC,
		"queueKafka": format.Queue, "queueBatch": format.Queue, "queueNATS": format.Queue, "queuePubSub": format.Queue, "queueRiver": format.Queue,
		"testOne": format.Test,
	}
	found := roles("example.com/m/p", source)
	for name, got := range found {
		if got != want[name] {
			t.Errorf("%s has roles %q, want %q", name, got.Roles(), want[name].Roles())
		}
		delete(want, name)
	}
	if len(want) > 0 || len(found) != 35 {
		t.Errorf("%d functions, missing %v", len(found), want)
	}
}

// In the packages themselves types have no qualifier.
func TestOwnTypes(t *testing.T) {
	if got := roles("net/http", "package http\nfunc (h *Mux) ServeHTTP(w ResponseWriter, r *Request) {}")["ServeHTTP"]; got != format.HTTP {
		t.Errorf("ServeHTTP has roles %q", got.Roles())
	}
	const sql = `package sql
func (db *DB) QueryContext(n int) bool { return true }
func (db *DB) Close() error { return nil }
func (r *Rows) Query() {}
`
	found := roles("database/sql", sql)
	if found["QueryContext"] != format.SQL || found["Close"] != 0 || found["Query"] != 0 {
		t.Errorf("methods of package sql: %v", found)
	}
	if got := roles("example.com/sql", sql)["QueryContext"]; got != 0 {
		t.Errorf("a method of another package sql has roles %q", got.Roles())
	}
}
