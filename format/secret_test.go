package format

import (
	"strings"
	"testing"
)

func TestLooksSecret(t *testing.T) {
	words := strings.Split(DefaultRedact, ",")
	for _, name := range strings.Fields(`password Password userPassword PASSWORD passwordHash passwordhash dbpassword
		secret clientSecret client_secret secretKey token tokens authToken authtoken accessToken Authorization cookie Cookies sessionCookie
		key apiKey APIKey api_key APIKEY keys privateKeys X_KEY pkKey2 passphrase credentials sshKey`) {
		if !LooksSecret(name, words) {
			t.Errorf("%s does not look secret", name)
		}
	}
	for _, name := range strings.Fields(`a _ monkey keyboard tokenizer tok pass turkey hockey keyed ke y Keyboard passes author authority cook`) {
		if LooksSecret(name, words) {
			t.Errorf("%s looks secret", name)
		}
	}
	if LooksSecret("password", nil) || LooksSecret("", words) || LooksSecret("x", []string{""}) {
		t.Error("no words, no name or an empty word matches")
	}
	if n := testing.AllocsPerRun(10, func() { LooksSecret("clientSecretKey", words) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
