#include "tuner/report/report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/diagnostic.hpp"
#include "base/outside_failure.hpp"
#include "base/process.hpp"
#include "base/temporary_directory.hpp"
#include "base/text_file.hpp"
#include "base/units.hpp"
#include "tuner/report/findings.hpp"
#include "tuner/report/report_charts.hpp"
#include "tuner/report/report_parts.hpp"
#include "tuner/report/tree_picture.hpp"

namespace bcastgen {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> tuning_sections = {"summary", "topology", "times", "table", "speed-up", "provenance"};

StoredRun small_run() {
    StoredRun run;
    run.conditions = {"duo",
                      "0123456789abcdef",
                      "fedcba9876543210",
                      "emulated",
                      "mpich",
                      "MPICH Version: 4.0.2",
                      "",
                      "25Mbit/s",
                      "n0",
                      "n[0-5]",
                      "0.25"};
    run.topology_yaml =
        "name: duo\nswitches:\n  s0: {machines: \"n[0-2]\"}\n  s1: {machines: \"n[3-5]\"}\nlinks:\n"
        "  - {between: [s0, s1]}\n";
    run.ranks_per_machine = "1";
    run.settings = R"({"sizes":[1024,1048576],"algorithms":["two-tree"],"budget_s":60.0,"margin":0.02})";
    return run;
}

/// Six samples, the last of them far off.
void add_samples(TuningStore& store, std::int64_t run, const Shape& shape, const MeasureCase& one, double us,
                 const std::string& role) {
    const std::vector<double> factors = {1, 1.01, 0.99, 1.02, 0.98, 40};
    for (int repetition = 0; repetition < 6; ++repetition) {
        StoredSample stored;
        stored.key = {shape.machines, shape.ranks_per_machine, "near", shape.arrival, role, one, repetition};
        const double time = us * factors[static_cast<std::size_t>(repetition)];
        stored.sample = {time, time / 2, time, time / 2, one.segment_bytes, true};
        store.add_sample(run, stored);
    }
}

class Report : public ::testing::Test {
  protected:
    [[nodiscard]] fs::path file() const { return directory_.path() / "tuning.db"; }

    std::int64_t begin(TuningStore& store, const StoredRun& run, const std::vector<Shape>& shapes,
                       const std::vector<std::size_t>& sizes) {
        const std::int64_t id = store.begin_run(run);
        for (const Shape& shape : shapes) {
            store.set_placement(id, shape.machines, "near", run.conditions.machine_list);
            for (const std::size_t bytes : sizes) {
                const double us = 100 + static_cast<double>(bytes) / 10;
                add_samples(store, id, shape, {"pingpong", 0, bytes}, us, "reference");
                add_samples(store, id, shape, {"native", 0, bytes}, 4 * us, "reference");
                add_samples(store, id, shape, {"two-tree", 1024, bytes}, 2 * us, "search");
                add_samples(store, id, shape, {"two-tree", 8192, bytes}, 1.5 * us, "search");
            }
        }
        return id;
    }

    /// The page, checked to stand on its own.
    std::string page_of(const ReportRequest& request, std::vector<std::string> sections = tuning_sections) {
        const std::string page = report_page(request, directory_.path());
        const fs::path page_file = directory_.path() / "page.html";
        write_file(page_file, page);
        Command check;
        check.words = {"python3", BCASTGEN_SOURCE_DIR "/tests/tuner/report/report_page.py", page_file.string()};
        check.words.insert(check.words.end(), sections.begin(), sections.end());
        const CommandOutcome outcome = run_command(check);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
        return page;
    }

    std::string page_of_store(std::optional<std::int64_t> run = {}) {
        TuningStore store(file(), StoreAccess::read);
        ReportRequest request;
        request.store = "tuning.db";
        request.version = "1.2.3";
        request.run = read_run(store, "tuning.db", run);
        for (const StoredRun& one : store.runs()) {
            if (one.id != request.run->run.id) request.others.push_back(one);
        }
        return page_of(request);
    }

    [[nodiscard]] const fs::path& directory() const { return directory_.path(); }

  private:
    TemporaryDirectory directory_{fs::temp_directory_path()};
};

void expect_all(const std::string& page, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) EXPECT_NE(page.find(text), std::string::npos) << text;
}

TEST_F(Report, ShowsAFinishedTuning) {
    {
        TuningStore store(file());
        const auto run = begin(store, small_run(), {{6, 1, "balanced"}, {3, 1, "balanced"}}, {1024, 1 << 20});
        Rule row;
        row.messages = {{4096, bcast::Algorithm::native, 0}, {bcast::no_limit, bcast::Algorithm::two_tree, 8192}};
        // What the verdict rests on, beside as many samples of the search.
        add_samples(store, run, {6, 1, "balanced"}, {"native", 0, 1 << 20}, 419830.4, "validation");
        add_samples(store, run, {6, 1, "balanced"}, {"two-tree", 8192, 1 << 20}, 157436.4, "validation");
        store.conclude(
            run, {row},
            {{6, 1, "near", "balanced", 1 << 20, "two-tree", 8192, 419830.4, 157436.4, 2.67, 2.5, 2.8, true},
             {3, 1, "near", "balanced", 1 << 20, "two-tree", 8192, 419830.4, 157436.4, 1.2, 0.9, INFINITY, false}});
    }
    const std::string page = page_of_store();
    expect_all(page, {"With 6 machines the tuned broadcast is faster than the broadcast of MPICH itself at 1 of 1 ",
                      "<b>2.67×</b>",
                      "1.50 T(m)",  // tiles
                      "two-tree: messages above 4K",
                      "load 1 / ",  // trees
                      "completion time",
                      "10 ms",
                      "Messages of 1M",  // charts
                      "2 and more machines",
                      "up to 4K",
                      "2.67×",  // decision table
                      "2.50× – 2.80×",
                      "6 / 6",
                      "too few samples",
                      "no: native",
                      "420 ms",  // validation
                      "fedcba9876543210",
                      "MPICH Version: 4.0.2",
                      "links scaled to",
                      "datagrams lost",
                      "--rate 25Mbit/s --loss 0.25",
                      "--time-budget 60s",
                      "tuning.db, run 1",
                      "n[0-5]",
                      "name: duo"});
    EXPECT_EQ(page.find("class=\"warning\""), std::string::npos);
    EXPECT_EQ(page.find("12 / 12"), std::string::npos);
}

TEST_F(Report, ShowsNativeBesideTheSegmentSizes) {
    TuningStore store(file());
    const auto id = begin(store, small_run(), {{6, 1, "balanced"}}, {1 << 20});
    const ReportedRun run = read_run(store, "tuning.db", id);
    const std::vector<Chart> charts = segment_charts(findings_of(run.run, run.samples).at(0), {});
    ASSERT_EQ(charts.size(), 1U);
    const ChartCurve& line = charts[0].curves.at(0);
    EXPECT_EQ(line.title, "native");
    EXPECT_EQ(line.style.colour, style_of("native").colour);
    ASSERT_EQ(line.points.size(), 2U);
    EXPECT_EQ(line.points[0].x, 1024);
    EXPECT_EQ(line.points[1].x, 8192);
    for (const ChartPoint& point : line.points) EXPECT_NEAR(point.y, 4 * (100 + 104857.6), 0.02 * 420e3);
}

TEST_F(Report, WritesSizesAsPeopleDo) {
    EXPECT_EQ(message_text(65), "65 B");
    EXPECT_EQ(message_text(2897), "2897 B");
    EXPECT_EQ(message_text(1 << 19), "512K");
    EXPECT_EQ(message_text((1 << 19) + 1), "512K + 1");
    EXPECT_EQ(message_text((6 << 20) + 1), "6M + 1");
    EXPECT_EQ(time_text(812), "812 us");  // in tables; in charts:
    for (const ChartTick& tick : time_ticks(1, 900))
        EXPECT_TRUE(tick.label.ends_with(" us") || tick.at >= 1e3) << tick.label;
}

TEST_F(Report, ShowsWhatThereIsOfATuningThatWasKilled) {
    {
        TuningStore store(file());
        begin(store, small_run(), {{6, 1, "balanced"}}, {1024});  // one size, no table
    }
    expect_all(page_of_store(), {"has not come to its end", "the best so far at 1K", "There is no table yet",
                                 "Nothing has been validated yet", "not finished"});
}

TEST_F(Report, DescribesOneSwitchInWords) {
    {
        TuningStore store(file());
        StoredRun run = small_run();
        run.topology_yaml =
            "name: one\ndefaults:\n  link: {bandwidth: 1Gbit/s}\nswitches:\n  s0: {machines: \"n[0-5]\"}\nmachines:\n"
            "  n4: {link: {bandwidth: 100Mbit/s}}\n";
        store.begin_run(run);
    }
    const std::string page = page_of_store();
    expect_all(page, {"One switch, s0, with a cable of 100Mbit/s to 1Gbit/s to each machine."});
    EXPECT_EQ(page.find("class=\"node switch\""), std::string::npos);
}

TEST_F(Report, ShowsATuningWithoutSamples) {
    {
        TuningStore store(file());
        store.begin_run(small_run());
    }
    expect_all(page_of_store(), {"Nothing has been measured yet", "nothing is chosen yet", "No samples yet"});
}

TEST_F(Report, EscapesEveryName) {
    StoredRun run = small_run();
    const std::string evil = "<script>alert('1')</script> \" & \x01 \xff '\n`touch x` $(x)";
    for (std::string* text :
         {&run.conditions.topology, &run.conditions.plan_hash, &run.conditions.library_hash, &run.conditions.cluster,
          &run.conditions.mpi, &run.conditions.mpi_version, &run.conditions.network, &run.conditions.rate,
          &run.conditions.root, &run.conditions.machine_list, &run.conditions.loss, &run.conditions.hosts,
          &run.topology_yaml, &run.settings, &run.started}) {
        *text = evil;
    }
    {
        TuningStore store(file());
        const auto id = store.begin_run(run);
        store.set_placement(id, 6, "near", evil);
        for (const std::string& algorithm : {std::string("native"), std::string("pingpong"), evil}) {
            add_samples(store, id, {6, 1, "balanced"}, {algorithm, 512, 1024}, 10, "search");
            add_samples(store, id, {6, 1, "balanced"}, {algorithm, 1024, 1024}, 10, "search");
            add_samples(store, id, {6, 2, evil}, {algorithm, 512, 1024}, 10, "search");
        }
        store.conclude(id, {}, {{6, 2, evil, evil, 1024, evil, 512, 2, 1, 2, 2, 2, true}});
        store.begin_run(run);
    }
    const std::string page = page_of_store(1);
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_FALSE(fs::exists("x"));
}

TEST_F(Report, KeepsEveryOutlier) {
    TuningStore store(file());
    const auto id = begin(store, small_run(), {{6, 1, "balanced"}}, {1024});
    const ReportedRun run = read_run(store, "tuning.db", id);
    const std::vector<Findings> findings = findings_of(run.run, run.samples);
    ASSERT_EQ(findings.size(), 1U);
    const MeasuredCase* best = best_of(findings[0], "two-tree", 1024);
    ASSERT_NE(best, nullptr);
    EXPECT_EQ(best->one.segment_bytes, 8192U);
    EXPECT_EQ(best->times_us.size(), 6U);
    const Chart chart = time_chart(findings[0], {});
    std::size_t dots = 0;
    double highest = 0;
    for (const ChartCurve& curve : chart.curves) {
        if (curve.kind != ChartCurve::Kind::dots) continue;
        dots += curve.points.size();
        for (const ChartPoint& point : curve.points) highest = std::max(highest, point.y);
    }
    EXPECT_EQ(dots, 18U);  // T(m), native and the better of the two segment sizes
    EXPECT_DOUBLE_EQ(highest, 4 * (100 + 102.4) * 40);
}

/// The floor in a chart of the run's first findings. The network is two switches of three machines, 1 Gbit/s.
std::vector<ChartCurve> floor_curves(const ReportedRun& run, Chart (*chart)(const Findings&, const SiteTable&)) {
    std::vector<ChartCurve> found;
    for (const ChartCurve& curve : chart(view_of(run).findings.at(0), {}).curves) {
        if (curve.title == "floor") found.push_back(curve);
    }
    return found;
}

TEST_F(Report, ShowsTheFloorOfWhatMeasured) {
    TuningStore store(file());
    const auto id = begin(store, small_run(), {{6, 1, "balanced"}}, {1024, 1048576});
    ReportedRun run = read_run(store, "tuning.db", id);
    EXPECT_TRUE(floor_curves(run, time_chart).empty()) << "emulated links let bursts pass";
    run.run.conditions.cluster = "slurm";
    const std::vector<ChartCurve> times = floor_curves(run, time_chart);
    ASSERT_EQ(times.size(), 1U);
    ASSERT_EQ(times[0].points.size(), 2U);
    const double wire_us = 1048576 / 125.0;
    const double floor_us = times[0].points[1].y;
    EXPECT_GT(floor_us, wire_us);
    EXPECT_LT(floor_us, 1.2 * wire_us);
    const double once_us = 1.005 * (100 + 1048576 / 10.0);  // the median of what add_samples makes of it
    EXPECT_NEAR(floor_curves(run, ratio_chart).at(0).points.at(1).y, floor_us / once_us, 1e-9);
    run.run.conditions.network = "ideal";
    EXPECT_EQ(floor_curves(run, time_chart).at(0).points.at(1).y, floor_us);
    run.run.conditions.network = "default";
    EXPECT_LT(floor_curves(run, time_chart).at(0).points.at(1).y, floor_us) << "some sizes do better than the wire";
    for (void (*none)(RunConditions&) :
         {+[](RunConditions& on) { on.hosts = "this host"; }, +[](RunConditions& on) { on.root = "nobody"; }}) {
        ReportedRun other = run;
        other.run.conditions.network = "";
        none(other.run.conditions);
        EXPECT_TRUE(floor_curves(other, time_chart).empty());
    }
    run.placements.clear();
    EXPECT_TRUE(floor_curves(run, time_chart).empty());
}

/// Ten pods of fifteen racks of two machines.
StoredRun wide_run(const std::string& machines) {
    std::string yaml = "name: wide\nswitches:\n  core:\n";
    std::string links = "links:\n";
    for (int pod = 0; pod < 10; ++pod) {
        const std::string pod_name = "p" + std::to_string(pod);
        yaml += "  " + pod_name + ":\n";
        links += "  - {between: [core, " + pod_name + "]}\n";
        for (int rack = 0; rack < 15; ++rack) {
            const std::string name = pod_name + "r" + std::to_string(rack);
            yaml += "  " + name + ": {machines: \"" + name + "n[0-1]\"}\n";
            links += "  - {between: [" + pod_name + ", " + name + "]}\n";
        }
    }
    StoredRun run = small_run();
    run.topology_yaml = yaml + links;
    run.conditions.root = "p0r0n0";
    run.conditions.machine_list = machines;
    return run;
}

TEST_F(Report, FoldsMachinesAndSwitchesThatAreTooMany) {
    {
        TuningStore store(file());
        store.begin_run(wide_run("p[0-9]r[0-14]n[0-1]"));
        store.begin_run(wide_run("p0r[0-1]n[0-1],p9r14n1"));
    }
    const std::string all = page_of_store(1);
    expect_all(all, {"300 machines on 161 switches", ">p9<", ">30 machines<", ">8 switches alike<"});
    EXPECT_EQ(all.find(">p9r13<"), std::string::npos);
    const std::string few = page_of_store(2);
    expect_all(few, {"5 machines from p0r0n0", ">p0r1n1", ">p9<", ">p9r14<", "p9r14n1"});
}

TEST_F(Report, MarksWhatTheValidationRejected) {
    const Shape shape{6, 1, "balanced"};
    {
        TuningStore store(file());
        const auto run = begin(store, small_run(), {shape}, {1024, 1 << 20});
        Rule row;
        row.messages = {{bcast::no_limit, bcast::Algorithm::native, 0}};
        store.conclude(run, {row},
                       {{6, 1, "near", "balanced", 1 << 20, "two-tree", 8192, 9, 7, 0.98, 0.9, 1.1, false}});
    }
    expect_all(page_of_store(),
               {"native ✗", "two-tree was 0.98× as fast: rejected", "✗ no: native",
                "rejected: does not win by the margin", "two-tree, 1M: rejected, 0.98× as fast as native"});
    TuningStore store(file(), StoreAccess::read);
    const ReportedRun run = read_run(store, "tuning.db", 1);
    const RunView view = view_of(run);
    const auto crosses = [](const Chart& chart) {
        std::vector<ChartPoint> points;
        for (const ChartCurve& curve : chart.curves) {
            if (curve.kind == ChartCurve::Kind::crosses) points = curve.points;
        }
        return points;
    };
    const std::vector<ChartPoint> in_time = crosses(time_chart(view.findings.at(0), view.table));
    ASSERT_EQ(in_time.size(), 1U);
    EXPECT_EQ(in_time[0].x, 1 << 20);
    EXPECT_EQ(in_time[0].y, 7);
    EXPECT_EQ(crosses(segment_charts(view.findings.at(0), view.table).at(1)).at(0).x, 8192);
    EXPECT_EQ(crosses(speed_up_chart(view.findings, run.validations)).at(0).y, 0.98);
}

TEST_F(Report, SaysTheValueOfEveryPoint) {
    {
        TuningStore store(file());
        begin(store, small_run(), {{6, 1, "balanced"}}, {1024, 1 << 20});
    }
    const std::string page = page_of_store();
    EXPECT_NE(page.find("<g class=\"hover\"><title>native, 1K: 814 us ("), std::string::npos);
    EXPECT_NE(page.find("<title>two-tree in segments of 8K, 1M: 158 ms ("), std::string::npos);
    EXPECT_EQ(page.find("showHypertext"), std::string::npos);
    EXPECT_NE(page.find("<ul class=\"legend\"><li>"), std::string::npos);
}

TEST_F(Report, TellsWhichFilesAreNoStores) {
    const auto message = [&](const fs::path& store) {
        try {
            const TuningStore opened(store, StoreAccess::read);
            return std::string("opened");
        } catch (const InputErrors& errors) {
            return errors.diagnostics().front().message;
        }
    };
    EXPECT_EQ(message(file()), "is not a file; bcastgen tune --db writes one");
    EXPECT_FALSE(fs::exists(file()));
    EXPECT_EQ(message(directory()), "is not a file; bcastgen tune --db writes one");
    write_file(directory() / "text", "name: fsu-1\n" + std::string(2000, '#'));
    EXPECT_EQ(message(directory() / "text"), "is not a store of bcastgen's; choose another file");
    write_file(directory() / "empty", "");
    EXPECT_EQ(message(directory() / "empty"), "is an SQLite file, but not a store of bcastgen's; choose another file");
    EXPECT_EQ(fs::file_size(directory() / "empty"), 0U);
    TuningStore store(file());
    EXPECT_THROW((void)read_run(store, "tuning.db", {}), InputErrors);
    store.begin_run(small_run());
    EXPECT_THROW((void)read_run(store, "tuning.db", 7), InputErrors);
    EXPECT_EQ(read_run(store, "tuning.db", {}).run.id, 1);
}

TEST_F(Report, TellsThatGnuplotIsMissing) {
    TuningStore store(file());
    const auto id = begin(store, small_run(), {{6, 1, "balanced"}}, {1024});
    ReportRequest request;
    request.run = read_run(store, "tuning.db", id);
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nowhere", 1);
    try {
        (void)report_page(request, directory());
        ADD_FAILURE();
    } catch (const OutsideFailure& failure) {
        EXPECT_STREQ(failure.what(),
                     "gnuplot draws the report's charts and is not installed: apt-get install gnuplot-nox");
    }
    setenv("PATH", path.c_str(), 1);
}

TEST_F(Report, ShowsATraceOfSeveralRanks) {
    const std::string line =
        "bytes=1048576 machines=2 ranks=3 rule=machines:2-,up_to:max algorithm=two-tree segment=8192";
    write_file(directory() / "trace.0", line + "\n" + line + " imbalance=2.5 later=1\n");
    write_file(directory() / "trace.1",
               "bytes=0 machines=0 ranks=3 rule=declined:rank 3 is <b>nowhere</b> algorithm=native "
               "segment=0\n" +
                   line + "\nbytes=10 machi");
    write_file(directory() / "trace.2x", "no trace");
    const Trace trace = read_trace((directory() / "trace").string());
    EXPECT_EQ(trace.ranks.size(), 2U);
    ASSERT_EQ(trace.calls.size(), 2U);
    EXPECT_EQ(trace.calls[0].rule, "declined:rank 3 is <b>nowhere</b>");
    EXPECT_EQ(trace.calls[1].calls, 3U);
    EXPECT_EQ(trace.calls[1].imbalance_factors, std::vector<double>{2.5});
    ReportRequest request;
    request.trace = trace;
    request.trace->calls[1].imbalance_factors.assign({2.5, 2.5, 3518.2});
    expect_all(page_of(request, {"trace"}),
               {"4 calls of MPI_Bcast in the traces of 2 ranks", "1 went to the MPI&apos;s own", "has 3 ranks: traces",
                "&lt;b&gt;nowhere", "Imbalance factors", "2.5, at most 3518"});
}

/// Two ranks: the second is slower, and by how much depends on the size.
void write_times(const fs::path& trace, double factor) {
    for (int rank = 0; rank < 2; ++rank) {
        std::string text;
        for (const auto& [bytes, us] : {std::pair(1024, 100.0), {1048576, 2000.0}}) {
            const double took_us = factor * us * (rank == 0 ? 1 : bytes == 1024 ? 1 : 3);
            text += fmt::format("bytes={} machines=2 ranks=2 rule=x algorithm=linear segment=0 took_us={}\n", bytes,
                                took_us);
        }
        write_file(trace.string() + "." + std::to_string(rank), text + text);
    }
}

TEST_F(Report, ShowsTheTimeOfAProgramsBroadcasts) {
    write_times(directory() / "with", 1);
    write_times(directory() / "without", 2.5);
    ReportRequest request;
    request.trace = read_trace((directory() / "with").string());
    const std::string alone = page_of(request, {"trace"});
    expect_all(alone, {"A rank spends 8.20 ms in MPI_Bcast, the mean of 2 ranks; rank 1 spends longest, 12.2 ms, 1.49 "
                       "times the mean.",
                       "<td data-label=\"message\" class=\"n\">1M</td><td data-label=\"broadcasts\" class=\"n\">2</td>"
                       "<td data-label=\"a rank, mean\" class=\"n\">8.00 ms</td><td data-label=\"slowest rank\" "
                       "class=\"n\">12.0 ms (rank 1)</td>"
                       "<td data-label=\"slowest / mean\" class=\"n\">1.50</td>",
                       "<td data-label=\"slowest / mean\" class=\"n\">1.00</td>", "width: 2.5%"});
    EXPECT_EQ(alone.find("ithout the library"), std::string::npos);
    request.without_library = read_trace((directory() / "without").string());
    expect_all(
        page_of(request, {"trace"}),
        {"Without the library a rank spends 20.5 ms: 2.50× as much; the slowest, rank 1, 30.5 ms.", "20.0 ms</td>",
         "<div style=\"width: 40.0%\"></div><div class=\"other\" style=\"width: 100.0%\"></div>"});
    request.without_library->ranks.pop_back();
    expect_all(page_of(request, {"trace"}), {"That run had traces of 1, this one of 2 ranks: they are not the same."});
}

TEST_F(Report, TellsWhereATraceIsNone) {
    const std::string file = (directory() / "trace").string();
    EXPECT_THROW((void)read_trace(file), InputErrors);
    write_file(file + ".3", "bytes=1 machines=1 ranks=1 rule=x algorithm=native segment=0\nhello\nhello\n");
    try {
        (void)read_trace(file);
        ADD_FAILURE();
    } catch (const InputErrors& errors) {
        ASSERT_EQ(errors.diagnostics().size(), 2U);
        EXPECT_EQ(errors.diagnostics()[0].file, file + ".3");
        EXPECT_EQ(errors.diagnostics()[0].line, 2);
        EXPECT_EQ(errors.diagnostics()[0].source_line, "hello");
    }
}

}  // namespace
}  // namespace bcastgen
