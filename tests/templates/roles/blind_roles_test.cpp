// Roles of algorithms that are blind to switches: over the machines in the sequence of the ranks.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bcast/roles/placement.hpp"
#include "bcast/roles/roles.hpp"
#include "bcast/trees/double_binary.hpp"

namespace bcast {
namespace {

/// Six machines on two switches; rank r is on machine_of_rank[r].
struct Scene {
    Site site{};
    Layout layout{{0, 0, 0, 1, 1, 1}, {{1}, {0}}};
    Placement placement;

    explicit Scene(const std::vector<int>& machine_of_rank) : placement(place(machine_of_rank)) {}
};

TEST(BlindRoles, FollowTheRanksFromTheRootOn) {
    const Scene scene({5, 0, 3, 1, 4, 2});  // one rank on each machine: positions are ranks after the root's
    const auto trees = double_binary(6);
    for (int root = 0; root < 6; ++root) {
        for (int rank = 0; rank < 6; ++rank) {
            Roles roles(scene.site, scene.layout, scene.placement, rank);
            const Role& role = roles.role(Algorithm::double_binary, root, 1 << 20);
            ASSERT_EQ(role.trees.size(), 2U);
            const auto position = static_cast<std::size_t>((rank - root + 6) % 6);
            for (std::size_t t = 0; t < 2; ++t) {
                const int parent = trees[t].parent[position];
                EXPECT_EQ(role.trees[t].parent, parent < 0 ? -1 : (parent + root) % 6) << root << " " << rank;
                std::vector<int> children;
                for (const int child : trees[t].children[position]) children.push_back((child + root) % 6);
                EXPECT_EQ(role.trees[t].children, children) << root << " " << rank;
            }
        }
    }
}

TEST(BlindRoles, CountAMachineByItsLowestRank) {
    const Scene scene({4, 2, 2, 4, 0});  // machines by rank: 4, 2, 0
    EXPECT_EQ(scene.placement.machines_by_rank(), (std::vector<int>{4, 2, 0}));
    Roles roles(scene.site, scene.layout, scene.placement, 2);  // the root, on machine 2; then come 0 and 4
    const Role& role = roles.role(Algorithm::double_binary, 2, 1000);
    const auto trees = double_binary(3);
    const int ranks[] = {2, 4, 0};  // the root, and the lowest rank of each other machine
    for (std::size_t t = 0; t < 2; ++t) {
        EXPECT_EQ(role.trees[t].parent, -1);
        EXPECT_EQ(role.trees[t].children.front(), ranks[trees[t].children[0].front()]);
        EXPECT_EQ(role.trees[t].children.back(), 1) << "the other rank of its own machine comes last";
    }
}

TEST(BlindRoles, DivideAPortAmongOtherMachinesOnly) {
    const auto divides = [](const std::vector<int>& machine_of_rank, Algorithm algorithm, int rank) {
        const Scene scene(machine_of_rank);
        Roles roles(scene.site, scene.layout, scene.placement, rank);
        return divides_port(roles.role(algorithm, 0, 1 << 20));
    };
    EXPECT_FALSE(divides({4, 2}, Algorithm::double_binary, 0)) << "both trees lead to the one other machine";
    EXPECT_FALSE(divides({4, 4, 4, 2}, Algorithm::binary, 0)) << "the others are on its own machine";
    EXPECT_TRUE(divides({4, 2, 0}, Algorithm::binary, 0));
    EXPECT_FALSE(divides({4, 2, 0}, Algorithm::binary, 2)) << "a leaf";
    EXPECT_TRUE(divides({5, 0, 3, 1, 4, 2}, Algorithm::double_binary, 0)) << "a child in each of two trees";
}

}  // namespace
}  // namespace bcast
