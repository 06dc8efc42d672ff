module example.com/million

go 1.22
