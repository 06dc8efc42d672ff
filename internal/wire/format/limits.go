package format

import (
	"slices"
	"strings"
)

// Limits of the values that are recorded.
const (
	DefaultDepth = 2
	DefaultBytes = 256
	MaxDepth     = 10
	MaxBytes     = 8 << 10
)

// DefaultRedact lists the words that make values secret unless the user says
// otherwise, see LooksSecret.
const DefaultRedact = "password,passwd,passphrase,secret,token,authorization,cookie,credential," +
	"apikey,accesskey,privatekey,signingkey,encryptionkey,masterkey,sessionkey,authkey,sshkey,filekey,cipherkey,aeskey,hmackey"

// parts takes out what may stand between the parts of a word.
var parts = strings.NewReplacer("_", "", "-", "")

// AddRedactWords adds to the words for LooksSecret those in list, separated by commas.
// The word none takes back what came before it.
func AddRedactWords(words []string, list string) []string {
	for _, word := range strings.Split(list, ",") {
		switch word = parts.Replace(strings.ToLower(strings.TrimSpace(word))); {
		case word == "none":
			words = nil
		case word != "" && !slices.Contains(words, word):
			words = append(words, word)
		}
	}
	return words
}
