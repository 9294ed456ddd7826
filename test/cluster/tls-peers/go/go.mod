module tlspeer

go 1.24
