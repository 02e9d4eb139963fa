#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tuner/bench/bench.hpp"

namespace bcastgen {
namespace {

BenchResult example() {
    BenchResult result;
    result.topology = "fsu-1";
    result.cluster = "simulated";
    result.mpi = "mpich";
    result.root = "n0";
    result.machines = 16;
    result.ranks = 32;
    result.arrival = "random:2";
    result.loss = 0.05;
    result.rows = {{"pingpong", 0, 1048576, 3, 90000, 89000, 91000, 90000, 90000, 90000, true},
                   {"native", 0, 1048576, 3, 400000.5, 400000, 500000, 300000, 400000, 300000, true},
                   {"linear", 8192, 1048576, 3, 100000.1234, 99999, 100001, 80000, 100000, 80000, true},
                   {"linear", 0, 1048576, 3, 1400000, 1400000, 1400000, 700000, 1400000, 700000, false},
                   {"native", 0, 8, 3, 812.25, 800, 900, 700, 800, 700, true}};
    result.network = "default";
    result.references = {{1048576, 90000, 400000.5, 8192, 83000, 70000.25}, {8, 40, 812.25, 0, 42, {}}};
    return result;
}

TEST(BenchFormats, Csv) {
    EXPECT_EQ(bench_csv(example()),
              "cluster,mpi,machines,ranks,arrival,loss,algorithm,segment_bytes,message_bytes,repetitions,"
              "completion_us_median,completion_us_min,completion_us_max,per_node_us_mean,per_node_us_worst,osu_avg_us,"
              "bytes_ok,network,floor_us,distribution\n"
              "simulated,mpich,16,32,random:2,0.05,pingpong,0,1048576,3,90000.000,89000.000,91000.000,90000.000,"
              "90000.000,90000.000,1,default,70000.250,block\n"
              "simulated,mpich,16,32,random:2,0.05,native,0,1048576,3,400000.500,400000.000,500000.000,300000.000,"
              "400000.000,300000.000,1,default,70000.250,block\n"
              "simulated,mpich,16,32,random:2,0.05,linear,8192,1048576,3,100000.123,99999.000,100001.000,80000.000,"
              "100000.000,80000.000,1,default,70000.250,block\n"
              "simulated,mpich,16,32,random:2,0.05,linear,0,1048576,3,1400000.000,1400000.000,1400000.000,700000.000,"
              "1400000.000,700000.000,0,default,70000.250,block\n"
              "simulated,mpich,16,32,random:2,0.05,native,0,8,3,812.250,800.000,900.000,700.000,800.000,700.000,1,"
              "default,,block\n");
}

TEST(BenchFormats, SayNothingOfAModelWhereTheNetworkIsReal) {
    BenchResult result = example();
    result.network.clear();
    EXPECT_EQ(bench_text(result).find("fsu-1 on the simulated cluster, native as in"), 0U);
    EXPECT_NE(bench_csv(result).find(",700.000,1,,,block\n"), std::string::npos);
}

TEST(BenchFormats, TextMarksTheBestAndWhatIsWrong) {
    EXPECT_EQ(
        bench_text(example()),
        R"(fsu-1 on the simulated cluster (network default), native as in mpich: 16 machines, 32 ranks, root n0, arrival random:2, loss 0.05
medians of 3; * best; speed-up over native

1M   T(m) 90.0 ms   floor 70.0 ms   to one peer in segments 83.0 ms (8K)   native 400 ms
  algorithm segment completion   x T(m) speed-up  node mean node worst
  pingpong        -    90.0 ms     1.00             90.0 ms    90.0 ms
  native          -     400 ms     4.44     1.00     300 ms     400 ms
* linear         8K     100 ms     1.11     4.00    80.0 ms     100 ms
  linear          -     1.40 s    15.56     0.29     700 ms     1.40 s  WRONG BYTES

8   T(m) 40.0 us   to one peer in segments 42.0 us   native 812 us
  algorithm segment completion   x T(m) speed-up  node mean node worst
* native          -     812 us    20.31     1.00     700 us     800 us
)");
}

TEST(BenchFormats, JsonHoldsEveryRow) {
    const nlohmann::json json = nlohmann::json::parse(bench_json(example()));
    EXPECT_EQ(json["format"], "bcastgen-bench/1");
    EXPECT_EQ(json["topology"], "fsu-1");
    EXPECT_EQ(json["ranks"], 32);
    EXPECT_EQ(json["network"], "default");
    ASSERT_EQ(json["rows"].size(), 5U);
    EXPECT_EQ(json["rows"][2]["segment_bytes"], 8192);
    EXPECT_EQ(json["rows"][2]["completion_us_median"], 100000.123);
    EXPECT_EQ(json["rows"][3]["bytes_ok"], false);
    EXPECT_EQ(json["references"][0]["one_peer_us"], 83000);
    EXPECT_EQ(json["references"][0]["floor_us"], 70000.25);
    EXPECT_TRUE(json["references"][1]["floor_us"].is_null());
}

}  // namespace
}  // namespace bcastgen
