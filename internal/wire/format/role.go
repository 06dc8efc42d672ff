package format

// A Role is what libraries call a function for, as the types of its parameters say. Functions of a
// role are in a group that has its name, unless the program has made a group of that name.
type Role struct {
	Name string
	Flag SiteFlags
	Fits string // which functions have it, for people
}

// Flags of roles.
const (
	HTTP SiteFlags = 1 << (iota + 1)
	GRPC
	SQL
	Queue
	Test
)

// Roles are all that there are.
var Roles = [...]Role{
	{"http", HTTP, "a function or method (http.ResponseWriter, *http.Request), or a handler of gin, echo, fiber, fasthttp or httprouter"},
	{"grpc", GRPC, "a method of a type that embeds an Unimplemented...Server, or a handler that protoc-gen-go-grpc has generated"},
	{"sql", SQL, "Query, QueryRow or Exec of database/sql's DB, Tx, Conn or Stmt"},
	{"queue", Queue, "a function with a message of Kafka, NATS, RabbitMQ, SQS, Pub/Sub, asynq or River that returns nothing or an error"},
	{"test", Test, "a function (*testing.T), which waymark test instruments"},
}

// FindRole returns the role with that name, nil if there is none.
func FindRole(name string) *Role {
	for i := range Roles {
		if Roles[i].Name == name {
			return &Roles[i]
		}
	}
	return nil
}

// Roles returns the names of the roles that the flags have, in the order of Roles; nil if there are none.
func (f SiteFlags) Roles() (names []string) {
	for _, r := range Roles {
		if f&r.Flag != 0 {
			names = append(names, r.Name)
		}
	}
	return names
}
