package role

import (
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/candidate"
)

// carriers are types of parameters, besides messages, that may name the span that a call is in.
var carriers = []string{
	"context.Context",
	"*net/http.Request",
	"*github.com/gin-gonic/gin.Context",
	"github.com/labstack/echo.Context",
	"*github.com/labstack/echo.Context",
	"github.com/gofiber/fiber.Ctx",
	"*github.com/gofiber/fiber.Ctx",
	"google.golang.org/grpc.ServerStream",
}

// Carriers returns the indices of the parameters that may name the span that a call of a function is in.
func (r *Roles) Carriers(f *candidate.Func) (list []int) {
	params := r.params(f)
	for i, p := range params {
		if slices.Contains(carriers, p) || isMessage(p) || i == len(params)-1 && strings.HasSuffix(p, "Server") && r.serving(f, params) {
			list = append(list, i)
		}
	}
	return list
}
