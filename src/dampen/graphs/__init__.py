"""Graphs whose nodes are public and whose edges are private: read, merged, counted. Never random, never private."""
