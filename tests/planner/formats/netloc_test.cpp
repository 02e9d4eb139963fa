#include "planner/formats/netloc.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "imports.hpp"
#include "planner/formats/ibnetdiscover.hpp"
#include "planner/formats/recognised.hpp"
#include "tests/base/files.hpp"

namespace bcastgen {
namespace {

using testing::contents;
using testing::outcome;
using testing::source_path;

std::string imported_netloc(const std::string& text) {
    return outcome([&] { return import_netloc({"t.txt", text}, "t"); });
}

std::string real_text() {
    return contents(source_path("tests/planner/formats/real/netloc-plafrim2-nodes.txt"));
}

const std::string head = "1\nfe80:0000:0000:0000\n../hwloc\n";
const std::string nodes =
    "5\n"
    "000a:0001,1,0,0,'n1 HCA-1',n1\n"
    "000a:0002,2,0,0,'old, ConnectX' ,n2\n"
    "000a:0003,3,0,0,'n3 HCA-1',n3\n"
    "000b:0001,4,1,0:1,'leaf a, GUID=0x000b0001' ,\n"
    "000b:0002,5,1,,'MF0;leaf-b:SX6036/U1' ,\n";
const std::string edges =
    "000a:0001,000b:0001,8.000000,0,1,0,1,7,4x,EDR,8.000000,'n1 HCA-1' - 'leaf a',3,0\n"
    "000a:0002,000b:0002,8.000000,0,1,1,1,8,4x,QDR,8.000000,'old, ConnectX' - 'leaf b',4,\n"
    "000a:0003\n"
    "000b:0001,000a:0001,8.000000,0,1,3,7,1,4x,EDR,8.000000,'leaf a' - 'n1 HCA-1',0,0,"
    "000b:0002,16.000000,0,2,5,20,21,4x,EDR,8.000000,'leaf a' - 'leaf b',7,0,6,22,23,4x,EDR,8.000000,'leaf a' - 'leaf "
    "b',"
    "8,0\n"
    "000b:0002,000b:0001,16.000000,0,2,7,21,20,4x,EDR,8.000000,'leaf b' - 'leaf a',5,0,8,23,22,4x,EDR,8.000000,"
    "'leaf b' - 'leaf a',6,0,000a:0002,8.000000,0,1,4,8,1,4x,QDR,8.000000,'leaf b' - 'old, ConnectX',1,\n";

TEST(Netloc, ReadsNodesAndCables) {
    EXPECT_EQ(imported_netloc(head + nodes + edges + "0xffff,0x8001\n000a:0001,000a:0002,0,5,4\n"),
              "# left out: n3, whose adapter has no cable\n"
              "# assumed: a latency of 500ns a hop, which dumps do not tell\n"
              "name: t\ndefaults:\n  link: {bandwidth: 100Gbit/s, latency: 500ns}\nswitches:\n"
              "  leaf-a: {machines: \"n1\"}\n  leaf-b: {machines: \"n2\"}\n"
              "links:\n  - {between: [leaf-a, leaf-b], cables: 2}\n"
              "machines:\n  \"n2\": {link: {bandwidth: 32Gbit/s}}\n");
}

TEST(Netloc, ReadsWhatStandsBelowAPrompt) {
    EXPECT_EQ(imported_netloc("\n\n" + head + nodes + edges), imported_netloc(head + nodes + edges));
    EXPECT_EQ(imported_netloc("\n" + head + "five\n"),
              "t.txt:5:1: error: \"five\" is not a number of lines or cables\n    five\n    ^\n");
}

TEST(Netloc, SaysWhereAndWhatIsWrong) {
    const auto first_of = [](const std::string& text) {
        const std::string errors = imported_netloc(text);
        return errors.substr(0, errors.find('\n'));
    };
    EXPECT_EQ(first_of("<?xml"),
              "t.txt:1:1: error: a netloc file starts with its version, 1; netloc_ib_extract_dats writes such "
              "(IB-…-nodes.txt)");
    EXPECT_EQ(first_of(""), first_of("2\n").replace(0, 9, "t.txt:1:1"));
    EXPECT_EQ(first_of("\n\r"), first_of("2\n"));
    EXPECT_EQ(first_of(head + "five\n"), "t.txt:4:1: error: \"five\" is not a number of lines or cables");
    EXPECT_EQ(first_of(head + "0\n"), "t.txt: error: describes no node");
    EXPECT_EQ(first_of(head), "t.txt: error: describes no node");
    EXPECT_EQ(first_of(head + nodes),
              "t.txt:4:1: error: 5 nodes take 10 lines from here; there are 5; was the file cut?");
    EXPECT_EQ(first_of(head + "1\n000a:0001,1,0,0,n1\n000a:0001\n"),
              "t.txt:5:1: error: a node has 6 fields, with commas between them; this line has 5");
    EXPECT_EQ(first_of(head + "1\na,1,2,0,'n1',n1\na\n"),
              "t.txt:5:5: error: \"2\" is no type of a node; a host is 0 and a switch 1");
    EXPECT_EQ(first_of(head + "2\na,1,0,0,'n1',n1\na,1,0,0,'n2',n2\na\na\n"),
              "t.txt:6:1: error: node \"a\" is described twice (first on line 5)");
    EXPECT_EQ(first_of(head + "1\na,1,0,0,'n1',n1\na,b,8,0,0\n"), "t.txt:6:3: error: no node of this file is \"b\"");
    EXPECT_EQ(first_of(head + "1\na,1,0,0,'n1',n1\na,a,8,0,1,5,1,2\n"),
              "t.txt:6:15: error: the line ends within what it says of a cable; was the file cut?");
    EXPECT_EQ(first_of(head + "1\na,1,0,0,'n1',n1\na\n"),
              "t.txt: error: has no machine on a switch: n1, whose adapter has no cable");
}

TEST(Netloc, ImportsAFileOfARealSite) {
    const Imported imported = import_netloc({"plafrim", real_text()}, "plafrim");
    EXPECT_EQ(imported.network.machines.size(), 96U);
    EXPECT_EQ(imported.network.switches.size(), 7U);
    EXPECT_TRUE(testing::can_be_planned(imported));
}

RC_GTEST_PROP(Netloc, TakesOrRefusesWhateverIsCut, ()) {
    static const std::string text = real_text();
    std::string cut = text.substr(0, *rc::gen::inRange<std::size_t>(0, text.size()));
    if (*rc::gen::arbitrary<bool>() && !cut.empty()) {
        cut[*rc::gen::inRange<std::size_t>(0, cut.size())] = *rc::gen::arbitrary<char>();
    }
    RC_ASSERT(!imported_netloc(cut).empty());
}

TEST(Recognised, TellsFormatsApart) {
    const auto real = [](const std::string& name) {
        return recognised_format(contents(source_path("tests/planner/formats/real/" + name)));
    };
    EXPECT_EQ(real("netloc-plafrim2-nodes.txt"), "netloc");
    EXPECT_EQ(real("loginoff-qdr-fdr10-144.txt"), "ibnetdiscover");
    EXPECT_EQ(real("azure-hpcbench-tree.conf"), "slurm");
    EXPECT_EQ(real("topograph-oci-sim-tree.conf"), "slurm");
    EXPECT_EQ(recognised_format("---\n- topology: t\n  cluster_default: true\n  tree:\n"), "slurm");
    EXPECT_EQ(
        recognised_format("<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version="),
        "lstopo");
    EXPECT_EQ(recognised_format(contents(source_path("topologies/campus.yaml"))), "");
    EXPECT_EQ(recognised_format(std::string(1 << 20, '1')), "");
    EXPECT_EQ(recognised_format(""), "");
}

}  // namespace
}  // namespace bcastgen
