#include "planner/formats/pasted.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace bcastgen {
namespace {

TEST(Pasted, LeavesWhatTheCommandPrinted) {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"\x1b[01;32mroot@head\x1b[00m:~# scontrol show topology\nSwitchName=s0 Nodes=n0\nroot@head:~# ",
         "\nSwitchName=s0 Nodes=n0\n"},
        {"$ scontrol show topology\r\nSwitchName=s0\r\n", "\nSwitchName=s0\r\n"},
        {"[admin@mgmt ~]$ sudo /usr/sbin/ibnetdiscover --full\n#\n# Topology\n", "\n#\n# Topology\n"},
        {"\x1b[1mroot@head\x1b[0m:~# ibnetdiscover\nSwitch\n", "\nSwitch\n"},
        {"root@head:~# ibnetdiscover\r\nSwitch\r\n", "\nSwitch\r\n"},
        {"> lldpcli show neighbors -f json\n{\"lldp\": {}}\n", "\n{\"lldp\": {}}\n"},
        {"# scontrol show topology printed this\nSwitchName=s0\n", "\nSwitchName=s0\n"},  // a comment: no loss
        {"SwitchName=s0 Nodes=n0 # ssh cat x\n", "SwitchName=s0 Nodes=n0 # ssh cat x\n"},
        {"vendid=0x2c9 # \"cat\"\n", "vendid=0x2c9 # \"cat\"\n"},
        {"switches:\n  s0: {machines: \"a@b\"}\n", "switches:\n  s0: {machines: \"a@b\"}\n"},
        {"\x1b[31mred", "red"},
        {"\x1b[31", "\x1b[31"},  // no colour: an import refuses it
        {"\x1b]0;title\x07", "\x1b]0;title\x07"},
        {"", ""},
        {"\n\n", "\n\n"},
    };
    for (const auto& [pasted, printed] : rows) EXPECT_EQ(without_traces_of_terminal(pasted), printed);
    EXPECT_EQ(without_traces_of_terminal(std::string(100000, '$')), std::string(100000, '$'));
}

}  // namespace
}  // namespace bcastgen
