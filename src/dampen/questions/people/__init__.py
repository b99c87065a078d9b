"""Questions about persons with all their rows: what was counted of them, posed. Proofs: docs/proofs/people.md.

``unit`` is the name of the column that tells whose a row is: what every loss is counted in.
"""
