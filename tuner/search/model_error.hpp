// How far a model has been off so far, in its times and in its choices, and what that makes of its word on what there
// was no time to measure.
#pragma once

#include <map>
#include <string>

namespace bcastgen {

/// Measured times over predicted ones, by algorithm.
class ModelError {
  public:
    void add(const std::string& algorithm, double predicted_us, double measured_us);

    /// What an algorithm is predicted to take.
    struct Price {
        std::string algorithm;
        double us;
    };
    /// Whether `one` beats the other by the margin wherever between the least and the largest error that was seen of
    /// their algorithms the two of them lie. False while fewer than `enough` errors of either are known: what so many
    /// samples have not shown happens in less than one case of `enough`.
    [[nodiscard]] bool beats(const Price& one, const Price& other, double margin) const;

    /// What the model chooses at some size took so long there, and native so long.
    void add_choice(const std::string& algorithm, double chosen_us, double native_us);

    /// Whether the model may be believed where it chooses this algorithm: of what it chose, `enough` cases were
    /// measured, and none of this algorithm (if there was none: of any) was slower than native by more than `margin`.
    [[nodiscard]] bool choices_hold(const std::string& algorithm, double margin) const;

    /// What a case of the algorithm hardly takes less than: a tenth below its price, had that been as far above the
    /// truth as any before. 0 while fewer than `enough` are known.
    [[nodiscard]] double hardly_less_us(const std::string& algorithm, double predicted_us) const;

    static constexpr int enough = 5;

  private:
    struct Errors {
        int seen = 0;
        double least = 0;
        double largest = 0;
    };
    std::map<std::string, Errors> errors_;
    std::map<std::string, double> worst_choice_;  ///< over native, of those seen
    int choices_ = 0;
};

}  // namespace bcastgen
