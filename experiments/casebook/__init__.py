"""The case book: what audits by draws alone found in software of others and in dampen's own (docs/casebook.md)."""
