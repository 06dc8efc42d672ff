package budget

import "testing"

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Limit
	}{
		{"10%", Limit{"10%", 0.1}}, {"10", Limit{"10%", 0.1}}, {"1000%", Limit{"1000%", 10}}, {"0.5%", Limit{"0.5%", 0.005}},
		{"0", Limit{"0%", 0}}, {"0%", Limit{"0%", 0}}, {"none", Limit{}}, {"1e2%", Limit{"1e2%", 1}},
	} {
		got, err := Parse(tt.text)
		if got != tt.want || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", tt.text, got, err, tt.want)
		}
		if got.Given() != (tt.text != "none") || got.CountsOnly() != (tt.text == "0" || tt.text == "0%") {
			t.Errorf("%s: given %t, counts only %t", tt.text, got.Given(), got.CountsOnly())
		}
	}
	for _, text := range []string{"", "%", "-1%", "-0.1", "ten", "10%%", "10 %", "NaN", "Inf", "+Inf%", "1e400", "10ms", "None"} {
		if got, err := Parse(text); err == nil || got.Given() {
			t.Errorf("%q: %+v, %v; want an error", text, got, err)
		}
	}
}
