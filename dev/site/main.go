// Site writes the documents as pages that browsers show without a server: make docs.
//
//	site -root . -out bin/site
//
// The pages are README.md and every Markdown file that it leads to. The navigation is made of
// docs/README.md. A link that leads nowhere is an error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "the repository")
	out := flag.String("out", "", "folder of the pages")
	flag.Parse()
	if flag.NArg() > 0 || *out == "" {
		fmt.Fprintln(os.Stderr, "site: want -out and no arguments; make docs")
		os.Exit(2)
	}
	if err := run(*root, *out); err != nil {
		fmt.Fprintf(os.Stderr, "site: %v\n", err)
		os.Exit(1)
	}
	fmt.Println(filepath.Join(*out, "index.html"))
}

// run writes the site of a repository, and checks its links.
func run(root, out string) error {
	s, err := read(root)
	if err != nil {
		return err
	}
	if err := s.write(out); err != nil {
		return err
	}
	return errors.Join(check(out)...)
}
