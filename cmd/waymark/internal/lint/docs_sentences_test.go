package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// Of the sentences of comments so many words are most, and such a share may have more.
const (
	mostWords   = 25
	longAllowed = 0.01
)

// Comments are read by people who are tired: few sentences are long.
func TestSentences(t *testing.T) {
	all := 0
	var long []string
	err := filepath.WalkDir(repository.Path(t, ""), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "bin" || strings.HasPrefix(d.Name(), ".") && d.Name() != "." && d.Name() != ".."):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			for _, s := range sentences(group) {
				all++
				if n := len(strings.Fields(s)); n > mostWords {
					long = append(long, set.Position(group.Pos()).String()+": "+s)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d sentences of comments have more than %d words", len(long), all, mostWords)
	if float64(len(long)) > longAllowed*float64(all) {
		t.Errorf("%d of %d sentences of comments have more than %d words, want %v %% at most:\n%s", len(long), all, mostWords, 100*longAllowed, strings.Join(long, "\n"))
	}
}

// sentenceEnd is where a sentence ends.
var sentenceEnd = regexp.MustCompile(`[.!?]["')\]]*\s+`)

// sentences returns the sentences of a comment, without its code.
func sentences(group *ast.CommentGroup) (list []string) {
	for _, paragraph := range strings.Split(group.Text(), "\n\n") {
		var text []string
		for _, line := range strings.Split(paragraph, "\n") {
			if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "    ") {
				text = append(text, line)
			}
		}
		list = append(list, sentenceEnd.Split(strings.Join(text, " "), -1)...)
	}
	return list
}
