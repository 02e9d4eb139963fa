// Lists of machines as Slurm writes them: "n0,n3", "n[0-3,7]", "rack[1-2]n[01-16]".
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

namespace bcast {

inline constexpr std::size_t most_hostlist_names = 1000000;  ///< of one list; more is a typing error

namespace detail {

/// Reads a hostlist from the left. Stops at the first mistake and says what it is.
class HostlistReader {
  public:
    explicit HostlistReader(const char* text) : at_(text) {}

    bool read(std::vector<std::string>& names) {
        do {
            std::vector<std::string> item{""};
            if (!read_item(item)) return false;
            if (names.size() + item.size() > most_hostlist_names) return too_many();
            names.insert(names.end(), item.begin(), item.end());
        } while (*at_++ == ',');
        return true;
    }

    [[nodiscard]] const std::string& wrong() const { return wrong_; }

  private:
    bool fail(const std::string& what) {
        wrong_ = what;
        return false;
    }
    bool too_many() { return fail("more than " + std::to_string(most_hostlist_names) + " names"); }

    /// Up to the next comma outside brackets.
    bool read_item(std::vector<std::string>& names) {
        skip_blanks();
        const char* const start = at_;
        while (*at_ != '\0' && *at_ != ',' && *at_ != ' ' && *at_ != '\t') {
            if (*at_ == ']') return fail("a ] that closes nothing");
            if (*at_ != '[') {
                for (std::string& name : names) name += *at_;
                ++at_;
            } else if (!read_brackets(names)) {
                return false;
            }
        }
        if (at_ == start) return fail("a name is missing");
        skip_blanks();
        return *at_ == '\0' || *at_ == ',' || fail("names are separated by commas");
    }

    void skip_blanks() {
        while (*at_ == ' ' || *at_ == '\t') ++at_;
    }

    /// "[0-3,7]": each of the names with each of these.
    bool read_brackets(std::vector<std::string>& names) {
        std::vector<std::string> numbers;
        do {
            ++at_;  // the [ or the comma
            if (!read_range(numbers)) return false;
        } while (*at_ == ',');
        if (*at_ != ']')
            return fail(*at_ == '\0' ? "a [ that is never closed" : "between brackets stand numbers, - and ,");
        ++at_;
        if (names.size() * numbers.size() > most_hostlist_names) return too_many();
        std::vector<std::string> all;
        for (const std::string& name : names) {
            for (const std::string& number : numbers) all.push_back(name + number);
        }
        names = std::move(all);
        return true;
    }

    /// "0-3" or "7", in as many digits as the first has.
    bool read_range(std::vector<std::string>& numbers) {
        std::string low;
        if (!read_digits(low)) return false;
        std::string high = low;
        if (*at_ == '-') {
            ++at_;
            if (!read_digits(high)) return false;
        }
        const bool padded = high.size() > 1 && high[0] == '0';
        if (padded && high.size() != low.size()) return fail("the ends of a zero-padded range have one width");
        const unsigned long long first = std::strtoull(low.c_str(), nullptr, 10);
        const unsigned long long last = std::strtoull(high.c_str(), nullptr, 10);
        if (last < first) return fail(low + "-" + high + " runs backwards");
        if (last - first >= most_hostlist_names - numbers.size()) return too_many();
        for (unsigned long long number = first; number <= last; ++number) {
            std::string digits = std::to_string(number);
            if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
            numbers.push_back(std::move(digits));
        }
        return true;
    }

    bool read_digits(std::string& digits) {
        constexpr std::size_t most_digits = 18;
        digits.clear();
        while (*at_ >= '0' && *at_ <= '9') digits += *at_++;
        if (digits.empty()) return fail("a number is missing between brackets");
        return digits.size() <= most_digits || fail("a number of more than 18 digits");
    }

    const char* at_;
    std::string wrong_;
};

}  // namespace detail

/// Adds the names that `text` stands for to `names`, in its order. Empty if that went well, else the first mistake.
inline std::string read_hostlist(const char* text, std::vector<std::string>& names) {
    detail::HostlistReader reader(text);
    return reader.read(names) ? "" : reader.wrong();
}

}  // namespace bcast
