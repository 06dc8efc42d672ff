module example.com/storm

go 1.23
