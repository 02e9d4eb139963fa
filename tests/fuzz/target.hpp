// What is fuzzed: a function for each reader of bytes from outside, which aborts where the reader breaks its promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace bcastgen::fuzz {

struct Target {
    const char* name;
    void (*run)(std::string_view bytes);
    const char* of;           ///< a line for --help
    double most_seconds = 2;  ///< of processor time, for an input
};

/// In the order of --help; ends with one without a name.
extern const Target targets[];

/// Aborts, and says which promise was broken, unless it holds.
#define FUZZ_PROMISE(holds) ::bcastgen::fuzz::promise((holds), #holds, __FILE__, __LINE__)
void promise(bool holds, const char* what, const char* file, int line);

/// Runs a reader that may refuse its input. What it says then must be fit for a terminal and have a place in `text`.
/// True if it accepted.
bool accepts(const std::string& file, std::string_view text, const std::function<void()>& read);

/// Whether the text has ranges such as 0-999999 that stand for so much that a sanitizer makes it slow. The tests of
/// planner/topology look at these.
[[nodiscard]] bool stands_for_much(std::string_view text);

/// Choices taken from bytes; all zero when there are none left.
class Choices {
  public:
    explicit Choices(std::string_view bytes) : bytes_(bytes) {}
    [[nodiscard]] bool empty() const { return bytes_.empty(); }

    /// From 0 to end - 1; `end` is at most 65536.
    std::size_t below(std::size_t end) {
        std::size_t value = take();
        if (end > 256) value = value << 8 | take();
        return value % end;
    }
    bool one_in(std::size_t many) { return below(many) == many - 1; }

    /// The rest of the bytes up to `most`.
    std::string_view bytes(std::size_t most) {
        const std::string_view some = bytes_.substr(0, most);
        bytes_.remove_prefix(some.size());
        return some;
    }

  private:
    std::size_t take() {
        if (bytes_.empty()) return 0;
        const auto byte = static_cast<unsigned char>(bytes_.front());
        bytes_.remove_prefix(1);
        return byte;
    }

    std::string_view bytes_;
};

void fuzz_units(std::string_view bytes);
void fuzz_hostlist(std::string_view bytes);
void fuzz_topology(std::string_view bytes);
void fuzz_plans(std::string_view bytes);
void fuzz_slurm(std::string_view bytes);
void fuzz_ibnetdiscover(std::string_view bytes);
void fuzz_netloc(std::string_view bytes);
void fuzz_topograph(std::string_view bytes);
void fuzz_lldp(std::string_view bytes);
void fuzz_routes(std::string_view bytes);
void fuzz_mapping(std::string_view bytes);
void fuzz_tuning(std::string_view bytes);
void fuzz_trace(std::string_view bytes);
void fuzz_audit(std::string_view bytes);
void fuzz_emission(std::string_view bytes);
void fuzz_datagram(std::string_view bytes);

}  // namespace bcastgen::fuzz
