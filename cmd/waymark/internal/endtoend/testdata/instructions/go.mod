module example.com/instructions

go 1.26
