"""Nodes that matter, and counts of subgraphs, under edge privacy."""
