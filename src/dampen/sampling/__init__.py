"""Exact draws: integers and the operating system's entropy in, an index out. Knows nothing of privacy.

No floating-point function of the C library is reached, no result depends on a float's low bits, and every law is the
exact one: floats only decide what they can decide with a proven margin, and certified arithmetic decides the rest.
"""
