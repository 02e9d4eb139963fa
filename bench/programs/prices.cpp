// Predicted times (planner/price) as CSV, one line for each algorithm, segment size and message size, and what
// processor time it takes to work each out:
//
//   build/prices topologies/fsu-5.yaml 64K,1M linear,two-tree 8K,max
//   build/prices topologies/fsu-5.yaml 64K linear 8K 26K     under a rule for messages of more than 26K
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/units.hpp"
#include "planner/price/floor.hpp"
#include "planner/price/price.hpp"
#include "planner/topology/topology_yaml.hpp"

namespace bcastgen {
namespace {

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream in(list);
    for (std::string word; std::getline(in, word, ',');) words.push_back(word);
    return words;
}

void print_prices(Prices& prices, std::size_t bytes, bcast::Algorithm algorithm, RuleBegin above, double floor_us,
                  const std::vector<std::string>& segments) {
    for (const std::string& segment : segments) {
        const std::size_t segment_bytes = segment == "max" ? 0 : parse_size_bytes(segment);
        if (segment_bytes >= bytes || (segment_bytes > 0 && !bcast::pipelines(algorithm))) continue;
        const std::clock_t begin = std::clock();
        const double price_us = 1e6 * prices.time_s(algorithm, bytes, segment_bytes, above);
        const double worked_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        std::printf("%d,%s,%zu,%zu,%.3f,%.3f,%.3f,%.3f,%.6f\n", prices.machines(), bcast::name_of(algorithm),
                    segment_bytes, bytes, price_us, 1e6 * prices.once_s(bytes), floor_us, 1e6 * prices.native_s(bytes),
                    worked_s);
    }
}

int run(const std::string& file, const std::string& sizes, const std::string& algorithms, const std::string& segments,
        RuleBegin above) {
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const Network network = read_topology(text, file);
    std::vector<int> machines(network.machines.size());
    std::iota(machines.begin(), machines.end(), 0);
    const MessageCosts costs = simulated_costs(network);
    Prices prices(network, machines, 0, costs);
    std::printf("machines,algorithm,segment_bytes,message_bytes,price_us,once_us,floor_us,native_us,worked_s\n");
    for (const std::string& size : words_of(sizes)) {
        const std::size_t bytes = parse_size_bytes(size);
        const double floor_us = 1e6 * floor_s(network, costs, machines, 0, bytes);
        for (const std::string& name : words_of(algorithms)) {
            const auto algorithm = bcast::parse_algorithm(name.c_str());
            if (!algorithm || !Prices::has_price(*algorithm)) continue;
            print_prices(prices, bytes, *algorithm, above, floor_us, words_of(segments));
        }
    }
    return 0;
}

}  // namespace
}  // namespace bcastgen

int main(int count, char** words) {
    constexpr int least = 5;
    if (count != least && count != least + 1) {
        std::fprintf(stderr, "usage: prices TOPOLOGY SIZES ALGORITHMS SEGMENTS [ABOVE]\n");
        return 2;
    }
    try {
        return bcastgen::run(words[1], words[2], words[3], words[4],
                             count == least ? bcastgen::RuleBegin() : bcastgen::parse_size_bytes(words[least]));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
