module example.com/kill

go 1.22
