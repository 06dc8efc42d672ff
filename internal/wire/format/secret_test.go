package format

import (
	"strings"
	"testing"
)

func TestLooksSecret(t *testing.T) {
	words := strings.Split(DefaultRedact, ",")
	for _, name := range strings.Fields(`password Password userPassword PASSWORD passwordHash passwordhash dbpassword
		secret clientSecret client_secret secretKey token tokens authToken authtoken accessToken Authorization cookie Cookies sessionCookie
		apiKey APIKey api_key API_KEYS APIKEY secretKey secret_key access_key accessKeyID AWSAccessKey privateKeys PrivateKey passphrase credentials sshKey signing_key`) {
		if !LooksSecret(name, words) {
			t.Errorf("%s does not look secret", name)
		}
	}
	for _, name := range strings.Fields(`a _ monkey keyboard tokenizer tok pass turkey hockey keyed ke y Keyboard passes author authority cook
		key Key keys KEY X_KEY mapKey cacheKeys primaryKey publicKey keyLen pkKey2 apiMonkey privateMonkey access key_access apis apiKeyboard`) {
		if LooksSecret(name, words) {
			t.Errorf("%s looks secret", name)
		}
	}
	words = append(words, "type:Card", "type:pay.Iban", "type:example.com/m.Pin")
	for _, c := range []struct {
		pkg, name string
		want      bool
	}{
		{"main", "main.Secret", true}, {"example.com/m", "Password", true}, {"oauth2", "oauth2.Token", true}, {"crypto/rsa", "rsa.PrivateKey", true},
		{"x", "x.Secret[int]", true}, {"x", "x.List[example.com/m.Secret]", false}, {"x", "x.Tokenizer", false}, {"x", "x.Key", false},
		{"any/where", "where.Card", true}, {"x", "x.Cards", false}, {"x", "x.IDCard", false}, {"example.com/pay", "pay.Iban", true}, {"pay", "pay.Iban", true},
		{"example.com/repay", "repay.Iban", false}, {"example.com/m", "m.Pin", true}, {"m", "m.Pin", false}, {"", "", false},
	} {
		if got := TypeLooksSecret(c.pkg, c.name, words); got != c.want {
			t.Errorf("type %s of %s looks secret: %v, want %v", c.name, c.pkg, got, c.want)
		}
	}
	if LooksSecret("password", nil) || LooksSecret("", words) || LooksSecret("x", []string{""}) {
		t.Error("no words, no name or an empty word matches")
	}
	if n := testing.AllocsPerRun(10, func() { LooksSecret("clientSecretKey", words) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
