// Plays jobs on the channels of a model: offers tokens, stalls, checks every cycle, keeps results.
//
// A file of jobs is 64-bit words of this machine; sim/native/jobs.py writes it. Per job: Head, the
// configuration, how many tokens each input is given and each output must give, and the tokens of
// the inputs one after another, each in whole words. The file of results has, per job, the cycles
// of the first and last result, and then the tokens of the outputs.

#include "driver.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace {

using Word = std::uint64_t;

/// How endpoints stall; by name in jobs.py.
enum Pattern : Word { ALWAYS, GEOMETRIC, BURSTS, NEVER_TWICE, STARVED, AFTER_VALID };

struct Head {
    Word pattern;   // of all endpoints
    Word chance;    // of 256, that an endpoint goes on in a cycle
    Word seed;      // of the stalls
    Word latency;   // cycles from the last operand of a firing to its result; 0: results are not timed
    Word capacity;  // firings that are inside at most, where results are timed
    Word limit;     // cycles that the job may take
};

class Failed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

unsigned words(unsigned bits) { return (bits + 63) / 64; }

void put(void *port, unsigned bits, const Word *value) {
    if (bits == 0) return;
    if (bits <= 8) *static_cast<std::uint8_t *>(port) = *value;
    else if (bits <= 16) *static_cast<std::uint16_t *>(port) = *value;
    else if (bits <= 32) *static_cast<std::uint32_t *>(port) = *value;
    else if (bits <= 64) *static_cast<Word *>(port) = *value;
    else std::memcpy(port, value, (bits + 31) / 32 * 4);
}

void get(const void *port, unsigned bits, Word *value) {
    if (bits == 0) return;
    value[words(bits) - 1] = 0;
    if (bits <= 8) *value = *static_cast<const std::uint8_t *>(port);
    else if (bits <= 16) *value = *static_cast<const std::uint16_t *>(port);
    else if (bits <= 32) *value = *static_cast<const std::uint32_t *>(port);
    else if (bits <= 64) *value = *static_cast<const Word *>(port);
    else std::memcpy(value, port, (bits + 31) / 32 * 4);
}

/// Random numbers, the same on every machine.
class Draw {
public:
    explicit Draw(Word seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u) {}
    Word next() {
        state_ += 0x9E3779B97F4A7C15u;
        Word z = state_;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        return z ^ z >> 31;
    }
    bool chance(Word of_256) { return (next() & 255) < of_256; }
    std::vector<Word> token(unsigned bits) {
        std::vector<Word> value(words(bits));
        for (auto &word : value) word = next();
        if (bits % 64) value.back() >>= 64 - bits % 64;
        return value;
    }

private:
    Word state_;
};

/// Whether the endpoints of a job go on in a cycle.
class Stalls {
public:
    Stalls(const Head &head, std::size_t endpoints)
        : head_(head), draw_(head.seed), went_(endpoints), starved_(head.seed % endpoints) {}

    bool goes(std::size_t endpoint, bool is_sink, bool was_valid) {
        bool result = true;
        switch (head_.pattern) {
            case ALWAYS: return true;
            case GEOMETRIC: result = draw_.chance(head_.chance); break;
            case BURSTS: result = went_[endpoint] != draw_.chance(256 - head_.chance); break;
            case NEVER_TWICE: result = !went_[endpoint] && draw_.chance(head_.chance); break;
            case STARVED: result = endpoint != starved_ || draw_.chance(8); break;
            case AFTER_VALID: result = (!is_sink || was_valid) && draw_.chance(head_.chance); break;
        }
        went_[endpoint] = result;
        return result;
    }

private:
    const Head head_;
    Draw draw_;
    std::vector<char> went_;
    std::size_t starved_;
};

struct Source {
    Channel channel;
    Word count = 0, taken = 0;
    bool offered = false;
    const Word *tokens = nullptr;
};

struct Sink {
    Channel channel;
    Word count = 0, taken = 0;
    bool pending = false;
    std::vector<Word> now{}, before{}, tokens{};
};

class Player {
public:
    Player(Model &model, const Word *&next, Word job) : model_(model), job_(job) {
        std::memcpy(&head_, next, sizeof head_);
        next += sizeof head_ / sizeof(Word);
        configuration_ = next;
        next += words(model.configuration_bits);
        for (auto &channel : model.inputs) sources_.push_back({channel, *next++});
        for (auto &channel : model.outputs) sinks_.push_back({channel, *next++});
        for (auto &source : sources_) {
            source.tokens = next;
            next += source.count * words(source.channel.bits);
        }
        for (auto &sink : sinks_) {
            sink.now.resize(words(sink.channel.bits));
            sink.before = sink.now;
            sink.tokens.reserve(sink.count * words(sink.channel.bits));
        }
    }

    void play() {
        Stalls stalls(head_, sources_.size() + sinks_.size());
        Draw decoys(head_.seed + 1);
        put(model_.configuration, model_.configuration_bits, configuration_);
        // What comes behind the last result would be one too many.
        Word tail = head_.latency + head_.capacity + 8;
        for (cycle_ = 0; tail; ++cycle_) {
            if (cycle_ > head_.limit) fail("job", job_, "must have ended");
            const bool ended = is_complete();
            tail -= ended;
            offer(stalls, decoys);
            for (std::size_t at = 0; at < sinks_.size(); ++at) {
                auto &sink = sinks_[at];
                const bool goes = stalls.goes(sources_.size() + at, true, sink.pending);
                *sink.channel.ready = ended || goes;
            }
            *model_.clk = 0;
            model_.eval();
            observe(ended);
            *model_.clk = 1;
            model_.eval();
        }
        for (auto &source : sources_) *source.channel.valid = 0;
    }

    void write(std::FILE *file) const {
        const Word ends[] = {first_, last_};
        std::fwrite(ends, sizeof(Word), 2, file);
        for (auto &sink : sinks_) std::fwrite(sink.tokens.data(), sizeof(Word), sink.tokens.size(), file);
    }

private:
    Model &model_;
    Head head_{};
    const Word *configuration_;
    std::vector<Source> sources_;
    std::vector<Sink> sinks_;
    std::vector<Word> fired_;  // cycle of each firing's last operand
    Word job_, cycle_ = 0, results_ = 0, first_ = 0, last_ = 0;

    [[noreturn]] void fail(const char *what, std::size_t ordinal, const char *rule) const {
        throw Failed("job " + std::to_string(job_) + ", cycle " + std::to_string(cycle_) + ": " + what + " " +
                     std::to_string(ordinal) + " " + rule);
    }

    bool is_complete() const {
        for (auto &source : sources_) if (source.taken < source.count) return false;
        for (auto &sink : sinks_) if (sink.taken < sink.count) return false;
        return true;
    }

    void offer(Stalls &stalls, Draw &decoys) {
        for (std::size_t at = 0; at < sources_.size(); ++at) {
            auto &source = sources_[at];
            const auto &channel = source.channel;
            const bool goes = stalls.goes(at, false, false);
            if (!source.offered && goes) {
                if (source.taken < source.count) {
                    put(channel.data, channel.bits, source.tokens + source.taken * words(channel.bits));
                    source.offered = true;
                } else if (!source.count && head_.latency) {
                    // An operand that the configured behaviour does not use is offered in vain.
                    put(channel.data, channel.bits, decoys.token(channel.bits).data());
                    source.offered = true;
                }
            }
            *channel.valid = source.offered;
        }
    }

    void observe(bool ended) {
        if (head_.latency) check_times();
        else if (ended && !*model_.quiescent) fail("job", job_, "must leave nothing inside");
        for (std::size_t at = 0; at < sinks_.size(); ++at) receive(at);
        bool fires = true;
        for (std::size_t at = 0; at < sources_.size(); ++at) {
            auto &source = sources_[at];
            if (source.offered && *source.channel.ready) {
                if (!source.count) fail("input", at, "must not be taken");
                source.offered = false;
                ++source.taken;
            }
            fires = fires && (!source.count || source.taken > fired_.size());
        }
        if (fires) fired_.push_back(cycle_);
    }

    void receive(std::size_t at) {
        auto &sink = sinks_[at];
        const auto &channel = sink.channel;
        const bool valid = *channel.valid;
        if (valid) {
            std::swap(sink.now, sink.before);
            get(channel.data, channel.bits, sink.now.data());
        }
        if (sink.pending && !valid) fail("output", at, "must not take its offer back");
        if (sink.pending && sink.now != sink.before) fail("output", at, "must not change its offer");
        sink.pending = valid && !*channel.ready;
        if (valid && *channel.ready) {
            if (sink.taken == sink.count) fail("output", at, "must have no more tokens");
            sink.tokens.insert(sink.tokens.end(), sink.now.begin(), sink.now.end());
            ++sink.taken;
            if (!results_++) first_ = cycle_;
            last_ = cycle_;
        }
    }

    /// The contract of a stateless resource, to the cycle: no stall but these.
    void check_times() {
        auto &sink = sinks_[0];
        const Word fired = fired_.size(), inside = fired - sink.taken;
        const bool shows = inside && cycle_ >= fired_[sink.taken] + head_.latency && (!results_ || cycle_ > last_);
        if (*sink.channel.valid != shows) fail("output", 0, shows ? "must show a result" : "must show none yet");
        bool still = true;
        for (auto &source : sources_) still = still && (!source.count || source.taken == sink.taken);
        if (*model_.quiescent != still) fail("job", job_, still ? "must be quiescent" : "must not be quiescent");
        const bool room = inside < head_.capacity || (shows && *sink.channel.ready);
        for (std::size_t at = 0; at < sources_.size(); ++at) {
            const auto &source = sources_[at];
            const bool accepts = source.taken == fired && room && source.count;
            if (*source.channel.ready != accepts)
                fail("input", at, accepts ? "must be ready" : "must not be ready");
        }
    }
};

std::vector<Word> read(const char *path) {
    std::FILE *file = std::fopen(path, "rb");
    if (!file) throw Failed(std::string("cannot read ") + path);
    std::fseek(file, 0, SEEK_END);
    std::vector<Word> content(std::ftell(file) / sizeof(Word));
    std::rewind(file);
    const auto count = std::fread(content.data(), sizeof(Word), content.size(), file);
    std::fclose(file);
    if (count != content.size()) throw Failed(std::string("cannot read ") + path);
    return content;
}

void reset(Model &model) {
    for (auto &channel : model.inputs) *channel.valid = 0;
    for (auto &channel : model.outputs) *channel.ready = 0;
    for (int cycle = 0; cycle < 4; ++cycle) {
        *model.rst = cycle < 2;
        *model.clk = 0;
        model.eval();
        *model.clk = 1;
        model.eval();
    }
}

}  // namespace

int play(Model &model, const char *jobs, const char *results) {
    try {
        const auto content = read(jobs);
        std::FILE *file = std::fopen(results, "wb");
        if (!file) throw Failed(std::string("cannot write ") + results);
        reset(model);
        const Word *next = content.data();
        for (Word job = 0; next < content.data() + content.size(); ++job) {
            Player player(model, next, job);
            player.play();
            player.write(file);
        }
        if (std::fclose(file)) throw Failed(std::string("cannot write ") + results);
    } catch (const Failed &failed) {
        std::fprintf(stderr, "%s\n", failed.what());
        return 1;
    }
    return 0;
}
