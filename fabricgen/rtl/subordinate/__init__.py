"""Subordinate endpoints: beats from outside, their provider decode, and their answers."""
