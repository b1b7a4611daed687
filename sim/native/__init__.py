"""Volume on datapath resources: a native driver on the Verilated text of one resource."""
