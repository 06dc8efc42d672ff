package main

import "testing"

// A row returns what was put into its fields.
func TestRow(t *testing.T) {
	for _, v := range []struct{ gender, age, height, amount int }{{0, 0, 0, 0}, {1, 127, 255, 16383}, {1, 18, 190, 9999}} {
		var r Row
		for range 2 { // what was there is overwritten
			r.SetGender(v.gender)
			r.SetAge(v.age)
			r.SetHeight(v.height)
			r.SetAmount(v.amount)
		}
		if r.Gender() != v.gender || r.Age() != v.age || r.Height() != v.height || r.Amount() != v.amount {
			t.Errorf("got %[2]d, %[3]d, %[4]d, %[5]d; want %[1]v", v, r.Gender(), r.Age(), r.Height(), r.Amount())
		}
	}
}

// A finder finds what a loop does.
func TestFind(t *testing.T) {
	s := NewStore(200_000)
	want := 0
	for i := range s.rows {
		r := &s.rows[i]
		if r.Gender() == male && r.Age() >= 18 && r.Age() <= 25 && r.Height() >= 190 && r.Amount() >= 9990 {
			want++
		}
	}
	if got := s.Find(wealthy()); got != want || want == 0 {
		t.Errorf("found %d, want %d", got, want)
	}
}
