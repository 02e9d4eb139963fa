// A cluster for tests of the search and of what comes of it: a formula says what every broadcast takes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/bench/bench.hpp"
#include "tuner/search/lower_bound.hpp"
#include "tuner/search/sampler.hpp"

namespace bcastgen::testing {

/// 32 machines by the model of pipelined trees; native a binomial tree. Times in microseconds.
struct Model {
    TreeBound tree;
    double overhead_us;  ///< of a segment
};

inline const std::map<std::string, Model> models = {
    {"linear", {{1, 31, 1}, 40}},
    {"binary", {{2, 5, 1}, 60}},
    {"two-tree", {{1, 6, 0.5}, 90}},
    {"flat", {{31, 1, 1}, 20}},
};
inline constexpr double bandwidth_Bps = 12.5e6;

inline double modelled_us(const MeasureCase& one) {
    const auto message = static_cast<double>(one.message_bytes);
    if (one.algorithm == "native") return 5 * (100 + 1e6 * message / bandwidth_Bps);
    if (one.algorithm == "pingpong") return 100 + 1e6 * message / bandwidth_Bps;
    const Model& model = models.at(one.algorithm);
    const double part = message * model.tree.share;
    const double segment = one.segment_bytes == 0 ? part : std::min(part, static_cast<double>(one.segment_bytes));
    const double stages = std::ceil(part / segment) + model.tree.height - 1;
    return stages * (model.overhead_us + 1e6 * model.tree.stage / model.tree.share * segment / bandwidth_Bps);
}

/// A cluster that a formula stands for; with noise, a few samples in a hundred take far longer.
class FormulaSampler : public Sampler {
  public:
    explicit FormulaSampler(bool noisy = false, std::size_t most_samples = 1000000)
        : noisy_(noisy), most_samples_(most_samples) {}

    void take(const std::vector<MeasureCase>& cases, int repetitions) override {
        for (const MeasureCase& one : cases) {
            std::vector<double>& values = of(one);
            while (values.size() < static_cast<std::size_t>(repetitions) && !out_of_time()) {
                const bool in_frames = one.algorithm == "two-tree" && one.segment_bytes == frame_segment_bytes;
                values.push_back((in_frames && frames_us > 0 ? frames_us : modelled_us(one)) * factor());
                ++taken;
            }
        }
    }
    [[nodiscard]] Estimate cost_us(const MeasureCase& one) const override {
        for (const auto& [key, values] : samples_) {
            if (key == one) return noisy_ ? estimate(values) : exact_estimate(values);
        }
        return {};
    }
    [[nodiscard]] bool out_of_time() const override { return taken >= most_samples_; }

    std::size_t taken = 0;
    double frames_us = 0;  ///< what a two-tree takes with the smallest segments, if not what the model says

  private:
    std::vector<double>& of(const MeasureCase& one) {
        for (auto& [key, values] : samples_) {
            if (key == one) return values;
        }
        samples_.push_back({one, {}});
        return samples_.back().second;
    }
    double factor() {
        if (!noisy_) return 1;
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        const double fraction = static_cast<double>(state_ >> 11) / 9007199254740992.0;
        return fraction > 0.95 ? 10 : 1 + 0.1 * fraction;
    }
    bool noisy_;
    std::size_t most_samples_;
    std::uint64_t state_ = 1;
    std::vector<std::pair<MeasureCase, std::vector<double>>> samples_;
};

}  // namespace bcastgen::testing
