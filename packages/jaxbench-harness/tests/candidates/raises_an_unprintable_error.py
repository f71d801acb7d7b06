class UnprintableError(Exception):
    def __str__(self):
        raise ValueError("cannot be printed")


raise UnprintableError
