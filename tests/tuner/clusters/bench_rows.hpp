// Runs `bcastgen bench` and reads its CSV.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_tool.hpp"

namespace bcastgen::testing {

inline constexpr const char* csv_header =
    "cluster,mpi,machines,ranks,arrival,loss,algorithm,segment_bytes,message_bytes,repetitions,completion_us_median,"
    "completion_us_min,completion_us_max,per_node_us_mean,per_node_us_worst,osu_avg_us,bytes_ok,network,floor_us,"
    "distribution";

struct BenchLine {
    std::vector<std::string> fields;  ///< as in csv_header
    [[nodiscard]] std::string algorithm() const { return fields.at(6); }
    [[nodiscard]] std::size_t segment_bytes() const { return std::stoul(fields.at(7)); }
    [[nodiscard]] std::size_t message_bytes() const { return std::stoul(fields.at(8)); }
    [[nodiscard]] int repetitions() const { return std::stoi(fields.at(9)); }
    [[nodiscard]] double completion_us() const { return std::stod(fields.at(10)); }
    [[nodiscard]] double least_completion_us() const { return std::stod(fields.at(11)); }
    [[nodiscard]] double per_node_us() const { return std::stod(fields.at(13)); }
    [[nodiscard]] std::string network() const { return fields.at(17); }
    [[nodiscard]] double floor_us() const { return std::stod(fields.at(18)); }
    [[nodiscard]] std::string distribution() const { return fields.at(19); }
    [[nodiscard]] bool bytes_ok() const { return fields.at(16) == "1"; }
};

/// The rows of CSV, with every byte right.
inline std::vector<BenchLine> rows_in(const std::string& csv) {
    std::vector<BenchLine> rows;
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, csv_header);
    while (std::getline(lines, line)) {
        BenchLine row;
        std::istringstream fields(line);
        for (std::string field; std::getline(fields, field, ',');) row.fields.push_back(field);
        EXPECT_EQ(row.fields.size(), 20U) << line;
        EXPECT_TRUE(row.bytes_ok()) << line;
        rows.push_back(row);
    }
    return rows;
}

/// The rows of a run that must succeed.
inline std::vector<BenchLine> bench_rows(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    arguments.insert(arguments.end(), {"--format", "csv"});
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return rows_in(outcome.out);
}

inline const BenchLine& row_of(const std::vector<BenchLine>& rows, const std::string& algorithm, std::size_t bytes) {
    for (const BenchLine& row : rows) {
        if (row.algorithm() == algorithm && row.message_bytes() == bytes) return row;
    }
    ADD_FAILURE() << "no row for " << algorithm;
    static const BenchLine none{std::vector<std::string>(19, "0")};
    return none;
}

}  // namespace bcastgen::testing
