package cover

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolexec"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
)

// A Plan has the texts that the compiler gets in place of the user's.
type Plan struct {
	Files map[string]File // by path, as the go command knows them

	// Uncovered are import paths of packages that aren't covered though the go command
	// has them covered.
	Uncovered []string
}

// A File is one of the overlay.
type File struct {
	Original  string     // where the user's text is; "" of a file that was generated
	Rewritten string     // where the text for the compiler is
	Runs      []edit.Run `json:",omitempty"` // what is the same in both; nil if they are one file
}

// word is the first argument of this command when the go command calls it.
const word = "toolexec"

// Words returns the words of the go command's -toolexec by which it calls the command at path for each of
// its tools. plan is a file with a Plan in JSON. outer is another -toolexec, which gets the tools from
// this command.
func Words(path, plan string, outer []string) []string {
	return append([]string{path, word, plan}, toolexec.Words(outer)...)
}
