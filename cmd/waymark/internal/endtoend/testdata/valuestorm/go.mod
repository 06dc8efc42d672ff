module example.com/valuestorm

go 1.26
