"""Questions about numbers of which nobody knows bounds: what is needed of them is chosen privately, and told.

Proofs: docs/proofs/bounds.md. A unit must be public: to it every value is read, by itself alone.
"""
