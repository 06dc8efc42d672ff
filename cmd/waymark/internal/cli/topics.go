package cli

// topics are what waymark help explains beside commands.
var topics = map[string]string{
	"patterns": `
A pattern says which functions are meant. Quote a pattern with * or parentheses for the shell.

  ./store  ./...  net/http     packages, as the go command takes them
  store                        a package by the end of its path
  'store.*'                    all functions and methods of a package
  'store.(*DB)'                all methods of a type; store.DB means the same
  'store.(*DB).Put'            a method, as it is printed; store.DB.Put means the same
  store.Open  main.run         a function
  'store.Read*'                * stands for any characters but . and /
  'example.com/....Close'      ... stands for any characters
  '/^main\.handle/'            a regular expression over names
  std  all                     the standard library; all packages
  @IO                          the functions in a group

Flags take several patterns: --include ./...,net/http. Commands for running programs take them after
the PID: waymark watch PID 'store.*' main.run. Package runtime is never traced.`,
	"conditions": `
A condition chooses calls: --if 'CONDITION'. It has the syntax of Go's expressions.

  'args[0] > 3'                      an argument by its number; a receiver is args[0]
  'args.country == "NO"'             an argument by its name
  'args.req.User.ID == 42'           a field, through pointers
  'len(args.list) > 100'             the length of a string, slice, map or channel
  'results[0] == nil'                a result, also by its name: results.n
  'duration > 50ms'                  how long the call took
  'error'                            the last result is an error that is not nil
  'panic != nil'                     a panic began in the call, or left it
  'contains(args.url, "/quote")'     also startsWith and endsWith
  'args.n > 3 && !error'             && || ! and parentheses
  'retries > 3'                      a variable, of waymark watch PID main.go:38

A program that waymark builds needs --args and --results for conditions on values.`,
}
