package stock

import "testing"

func TestTakeAll(t *testing.T) {
	var s Shelf
	s.Put("kettle", 4)
	s.Put("cup", 6)
	if err := s.TakeAll(map[string]int{"kettle": 1, "cup": 6}, []string{"kettle", "cup"}); err != nil {
		t.Errorf("order of 1 kettle and 6 cups: %v", err)
	}
}
