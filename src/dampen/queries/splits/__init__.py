"""Which attribute, or which few tests, tell the classes apart best?"""
