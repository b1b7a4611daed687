"""Datapath providers: one resolved ``fabric.op`` resource as hardware, found by its family."""
