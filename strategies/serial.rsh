# serial: rank 0 trains alone
