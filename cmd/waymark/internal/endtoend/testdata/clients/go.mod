module example.com/clients

go 1.22
