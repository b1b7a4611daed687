"""Managers: whole accesses split into beats of an endpoint, and the answers put together."""
