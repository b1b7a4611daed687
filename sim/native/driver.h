// Channels of one Verilated model, and the driver that plays jobs on them.
#pragma once

#include <cstdint>
#include <vector>

/// One channel. Data has the type that Verilator gives a port of so many bits; none for 0 bits.
struct Channel {
    std::uint8_t *valid, *ready;
    void *data;
    unsigned bits;
};

/// What the generated program knows of its model.
struct Model {
    std::uint8_t *clk, *rst, *quiescent;
    std::vector<Channel> inputs, outputs;
    void *configuration;
    unsigned configuration_bits;

    virtual ~Model() = default;
    virtual void eval() = 0;
};

/// Play the jobs of one file and write their results to another; 0 if every rule held.
int play(Model &model, const char *jobs, const char *results);
