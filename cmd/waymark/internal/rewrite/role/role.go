// Package role finds out what libraries call functions for, by the types of their parameters:
//
//	roles := role.New(tree)
//	flags := roles.Of(f) // format.HTTP, for example
//
// Types are known as the source names them, by the imports of its file. A function's own name for a
// type, such as an alias, is not looked into.
package role

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/candidate"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// signatures are the parameters of functions that have a role.
var signatures = []struct {
	role   format.SiteFlags
	params string
}{
	{format.HTTP, "net/http.ResponseWriter *net/http.Request"},
	{format.HTTP, "net/http.ResponseWriter *net/http.Request github.com/julienschmidt/httprouter.Params"},
	{format.HTTP, "*github.com/gin-gonic/gin.Context"},
	{format.HTTP, "github.com/labstack/echo.Context"},
	{format.HTTP, "*github.com/labstack/echo.Context"},
	{format.HTTP, "github.com/gofiber/fiber.Ctx"},
	{format.HTTP, "*github.com/gofiber/fiber.Ctx"},
	{format.HTTP, "*github.com/valyala/fasthttp.RequestCtx"},
	{format.GRPC, "any context.Context func google.golang.org/grpc.UnaryServerInterceptor"},
	{format.GRPC, "any google.golang.org/grpc.ServerStream"},
	{format.Test, "*testing.T"},
}

// messages are the types of what queues hand to functions, without stars.
var messages = []string{
	"cloud.google.com/go/pubsub.Message",
	"github.com/IBM/sarama.ConsumerMessage",
	"github.com/Shopify/sarama.ConsumerMessage",
	"github.com/aws/aws-lambda-go/events.SQSEvent",
	"github.com/aws/aws-lambda-go/events.SQSMessage",
	"github.com/aws/aws-sdk-go/service/sqs.Message",
	"github.com/aws/aws-sdk-go-v2/service/sqs/types.Message",
	"github.com/confluentinc/confluent-kafka-go/kafka.Message",
	"github.com/hibiken/asynq.Task",
	"github.com/nats-io/nats.go.Msg",
	"github.com/nats-io/nats.go/jetstream.Msg",
	"github.com/rabbitmq/amqp091-go.Delivery",
	"github.com/riverqueue/river.Job",
	"github.com/segmentio/kafka-go.Message",
	"github.com/streadway/amqp.Delivery",
	"github.com/twmb/franz-go/pkg/kgo.Record",
}

// queries are the methods of database/sql that query or execute something.
var queries = regexp.MustCompile(`^(DB|Tx|Conn|Stmt)\.(Query|QueryRow|Exec)(Context)?$`)

// implementing matches what protoc-gen-go-grpc has services embed.
var implementing = regexp.MustCompile(`^(Unimplemented|Unsafe).*Server$`)

// version matches the major version that ends a path of a module, or is in one of its packages.
var version = regexp.MustCompile(`/v[0-9]+([/.])`)

// Roles tells the roles of a unit's functions.
type Roles struct {
	tree     *syntax.Tree
	services map[string]bool // types that embed an implementation of a gRPC service
}

// New prepares to tell the roles of the functions of a tree.
func New(t *syntax.Tree) *Roles {
	r := &Roles{t, make(map[string]bool)}
	for _, src := range t.Build {
		for _, decl := range src.AST.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range gen.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && serves(s.Type) {
						r.services[s.Name.Name] = true
					}
				}
			}
		}
	}
	return r
}

// serves reports whether a type embeds an implementation of a gRPC service.
func serves(t ast.Expr) bool {
	s, ok := t.(*ast.StructType)
	return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		t := f.Type
		if star, ok := t.(*ast.StarExpr); ok {
			t = star.X
		}
		if sel, ok := t.(*ast.SelectorExpr); ok {
			t = sel.Sel
		}
		id, ok := t.(*ast.Ident)
		return ok && len(f.Names) == 0 && implementing.MatchString(id.Name)
	})
}

// Called are the roles of functions that only libraries call. The compiler doesn't inline such calls.
const Called = format.HTTP | format.GRPC | format.Queue

// Of returns the roles of a function.
func (r *Roles) Of(f *candidate.Func) format.SiteFlags {
	if f.Decl != nil && r.tree.Unit.ImportPath == "database/sql" && queries.MatchString(f.Local()) {
		return format.SQL
	}
	if !handles(f.Type) {
		return 0
	}
	params := r.params(f)
	if r.serving(f, params) {
		return format.GRPC
	}
	text := strings.Join(params, " ")
	for _, s := range signatures {
		if s.params == text {
			return s.role
		}
	}
	if slices.ContainsFunc(params, isMessage) {
		return format.Queue
	}
	return 0
}

// serving reports whether a function with an error as its last result is a method that a gRPC server
// calls: of a context and a request, or of a stream as the last parameter.
func (r *Roles) serving(f *candidate.Func, params []string) bool {
	return f.Decl != nil && r.services[f.Recv] && f.Decl.Name.IsExported() && f.Type.Results != nil && len(params) > 0 &&
		(len(params) == 2 && params[0] == "context.Context" || strings.HasSuffix(params[len(params)-1], "Server"))
}

// isMessage reports whether a parameter is a message of a queue, or several.
func isMessage(param string) bool { return slices.Contains(messages, strings.TrimLeft(param, "*[]")) }

// params returns the types of the parameters of a function.
func (r *Roles) params(f *candidate.Func) (list []string) {
	for _, field := range f.Type.Params.List {
		name := r.typeName(f.Source.AST, field.Type)
		for range max(len(field.Names), 1) {
			list = append(list, name)
		}
	}
	return list
}

// handles reports whether a function has no result, or an error as the last one: what libraries call
// has, and what helpers of it compute is something else.
func handles(t *ast.FuncType) bool {
	if t.Results.NumFields() == 0 {
		return true
	}
	last, ok := t.Results.List[len(t.Results.List)-1].Type.(*ast.Ident)
	return ok && last.Name == "error"
}

// typeName returns a type with the path of its package, without versions and type arguments. It is
// func for functions, and empty for what has no role.
func (r *Roles) typeName(file *ast.File, t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return "*" + r.typeName(file, t.X)
	case *ast.ArrayType:
		return "[]" + r.typeName(file, t.Elt)
	case *ast.ParenExpr:
		return r.typeName(file, t.X)
	case *ast.IndexExpr:
		return r.typeName(file, t.X)
	case *ast.FuncType:
		return "func"
	case *ast.InterfaceType:
		if t.Methods.NumFields() == 0 {
			return "any"
		}
	case *ast.SelectorExpr:
		if id, ok := t.X.(*ast.Ident); ok {
			if path, ok := r.tree.ImportNamed(file, id.Name); ok {
				return unversioned(path, t.Sel.Name)
			}
		}
	case *ast.Ident:
		if types.Universe.Lookup(t.Name) != nil {
			return t.Name
		}
		return unversioned(r.tree.Unit.ImportPath, t.Name)
	}
	return ""
}

// unversioned returns a type of a package whose path says no major version.
func unversioned(path, name string) string { return version.ReplaceAllString(path+"."+name, "$1") }
