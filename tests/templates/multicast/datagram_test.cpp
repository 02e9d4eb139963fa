// What a datagram holds, and what is made of one that somebody else made, cut, or damaged.
#include "bcast/multicast/datagram.hpp"

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bcast/multicast/early_datagrams.hpp"
#include "bcast/multicast/group.hpp"
#include "bcast/multicast/verdict.hpp"

namespace bcast {
namespace {

constexpr SipKey paper_key{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};

std::string counting_bytes(std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i);
    return bytes;
}

std::uint64_t tag_by_openssl(const SipKey& key, const std::string& bytes) {
    const std::unique_ptr<EVP_MAC, void (*)(EVP_MAC*)> mac(EVP_MAC_fetch(nullptr, "SIPHASH", nullptr), EVP_MAC_free);
    const std::unique_ptr<EVP_MAC_CTX, void (*)(EVP_MAC_CTX*)> context(EVP_MAC_CTX_new(mac.get()), EVP_MAC_CTX_free);
    std::size_t size = 8;
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size), OSSL_PARAM_END};
    unsigned char key_bytes[16];
    detail::put_number(key_bytes, key.low, 8);
    detail::put_number(key_bytes + 8, key.high, 8);
    unsigned char tag[8] = {};
    EXPECT_EQ(EVP_MAC_init(context.get(), key_bytes, sizeof key_bytes, parameters), 1);
    EXPECT_EQ(EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()), 1);
    EXPECT_EQ(EVP_MAC_final(context.get(), tag, &size, sizeof tag), 1);
    return detail::low_end_first(tag, 8);
}

TEST(SipHash, TagsAsItsAuthorsDo) {
    // "SipHash: a fast short-input PRF", appendix A; and the first two of the authors' test vectors.
    EXPECT_EQ(siphash(paper_key, "", 0, counting_bytes(15).data(), 15), 0xa129ca6149be45e5U);
    EXPECT_EQ(siphash(paper_key, "", 0, "", 0), 0x726fdb47dd0e0e31U);
    EXPECT_EQ(siphash(paper_key, "", 0, counting_bytes(1).data(), 1), 0x74f839c593dc67fdU);
}

TEST(SipHash, TagsAsOpenSslDoes) {
    std::mt19937_64 random(8);
    for (std::size_t length = 0; length < 300; ++length) {
        const SipKey key{random(), random()};
        std::string bytes(length, ' ');
        for (char& c : bytes) c = static_cast<char>(random());
        const std::size_t head = std::min<std::size_t>(length / 8 * 8, 40);
        EXPECT_EQ(siphash(key, bytes.data(), head, bytes.data() + head, length - head), tag_by_openssl(key, bytes));
    }
}

TEST(Crc32c, ChecksAsItsStandardDoes) {
    EXPECT_EQ(crc32c(0, "123456789", 9), 0xe3069283U);
    EXPECT_EQ(crc32c(0, std::string(32, '\0').data(), 32), 0x8a9136aaU);  // RFC 3720, appendix B.4
    EXPECT_EQ(crc32c(0, std::string(32, '\xff').data(), 32), 0x62a8ab43U);
    EXPECT_EQ(crc32c(0, counting_bytes(32).data(), 32), 0x46dd794eU);
}

TEST(Crc32c, IsTheSameByTablesByTheProcessorAndInParts) {
    std::mt19937 random(3);
    std::vector<unsigned char> bytes(2000);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    for (std::size_t length = 0; length < 200; ++length) {
        const unsigned char* from = bytes.data() + random() % 1000;
        const std::uint32_t by_tables = ~detail::crc32c_by_tables(~0U, from, length);
        EXPECT_EQ(crc32c(0, from, length), by_tables);
        const std::size_t cut = length == 0 ? 0 : random() % length;
        EXPECT_EQ(crc32c(crc32c(0, from, cut), from + cut, length - cut), by_tables);
    }
}

constexpr SipKey group_key{12, 34};

std::string sealed(const Datagram& datagram, const SipKey& with = group_key) {
    DatagramEnds ends;
    seal(datagram, with, ends);
    return std::string(reinterpret_cast<char*>(ends.head), sizeof ends.head) +
           std::string(datagram.payload, datagram.payload_bytes) +
           std::string(reinterpret_cast<char*>(ends.tag), sizeof ends.tag);
}

const std::string payload = "some of the message";
const Datagram sample{7, 0x123456789abcU, 1000, 100, 5, payload.data(), static_cast<std::uint32_t>(payload.size())};

Verdict verdict_on(const std::string& bytes, const SipKey& with = group_key) {
    // A buffer of its own length, so that the sanitizer sees whoever reads behind its end.
    const std::vector<char> exact(bytes.begin(), bytes.end());
    Datagram read;
    return open_datagram(exact.data(), exact.size(), with, read);
}

TEST(Datagram, IsReadAsItWasWritten) {
    const std::string bytes = sealed(sample);
    EXPECT_EQ(bytes.size(), payload.size() + datagram_overhead_bytes);
    EXPECT_EQ(bytes.substr(0, 4), "bcg1");
    Datagram read;
    ASSERT_EQ(open_datagram(bytes.data(), bytes.size(), group_key, read), Verdict::good);
    EXPECT_EQ(read.fragment, sample.fragment);
    EXPECT_EQ(read.broadcast, sample.broadcast);
    EXPECT_EQ(read.message_bytes, sample.message_bytes);
    EXPECT_EQ(read.fragment_bytes, sample.fragment_bytes);
    EXPECT_EQ(read.sender, sample.sender);
    EXPECT_EQ(std::string(read.payload, read.payload_bytes), payload);
}

TEST(Datagram, OfAnotherKeyIsForeign) {
    EXPECT_EQ(verdict_on(sealed(sample, {12, 35})), Verdict::foreign);
    EXPECT_EQ(verdict_on(sealed(sample), {13, 34}), Verdict::foreign);
}

TEST(Datagram, CutOrLongerIsDamaged) {
    const std::string bytes = sealed(sample);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_EQ(verdict_on(bytes.substr(0, length)), Verdict::damaged) << length;
    }
    EXPECT_EQ(verdict_on(bytes + "x"), Verdict::damaged);
}

TEST(Datagram, WithAnyBitFlippedIsNotTaken) {
    const std::string bytes = sealed(sample);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string flipped = bytes;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        EXPECT_NE(verdict_on(flipped), Verdict::good) << "bit " << bit;
    }
}

TEST(Datagram, ThatReachesBeyondItsMessageIsDamagedEvenWithTheRightTag) {
    for (const std::uint32_t fragment : {10U, 0xffffffffU}) {
        Datagram wrong = sample;
        wrong.fragment = fragment;
        EXPECT_EQ(verdict_on(sealed(wrong)), Verdict::damaged);
    }
    Datagram wrong = sample;
    wrong.message_bytes = 3;
    EXPECT_EQ(verdict_on(sealed(wrong)), Verdict::damaged);
}

/// Random bytes, and true datagrams with random damage: none is taken, and nothing outside is read.
TEST(Datagram, FuzzedIsNeverTaken) {
    std::mt19937_64 random(20);
    for (int i = 0; i < 200000; ++i) {
        std::string bytes;
        switch (random() % 3) {
            case 0:
                bytes.resize(random() % 200);
                for (char& c : bytes) c = static_cast<char>(random());
                break;
            case 1:  // a head that says much, and whatever behind it
                bytes = "bcg1";
                bytes.resize(4 + random() % 100);
                for (std::size_t at = 4; at < bytes.size(); ++at) bytes[at] = static_cast<char>(random() % 3);
                break;
            default: {
                bytes = sealed(sample);
                const std::string before = bytes;
                for (std::size_t n = 1 + random() % 8; n > 0; --n) {
                    bytes[random() % bytes.size()] = static_cast<char>(random());
                }
                if (random() % 2 == 0) bytes.resize(random() % (bytes.size() + 1));
                if (bytes == before) continue;
            }
        }
        ASSERT_NE(verdict_on(bytes), Verdict::good) << i;
    }
}

TEST(EarlyDatagrams, AreHandedOutInTheirBroadcastAndNotLater) {
    EarlyDatagrams early;
    const auto keep = [&](std::uint64_t broadcast, const std::string& text) {
        early.keep({0, broadcast, text.size(), 1, 0, text.data(), static_cast<std::uint32_t>(text.size())});
    };
    const auto take = [&](std::uint64_t broadcast) {
        std::string all;
        early.take(broadcast, [&](const Datagram& d) { all += std::string(d.payload, d.payload_bytes) + ","; });
        return all;
    };
    keep(3, "three");
    keep(5, "five");
    keep(3, "drei");
    keep(4, "four");
    EXPECT_EQ(take(2), "");
    EXPECT_EQ(take(3), "three,drei,");
    EXPECT_EQ(take(3), "");
    EXPECT_EQ(take(5), "five,");
    EXPECT_EQ(take(4), "");  // too late
    const std::string large(1 << 20, 'x');
    for (int i = 0; i < 10; ++i) keep(9, large);
    EXPECT_EQ(take(9).size(), 4U * (large.size() + 1)) << "bounded";
}

TEST(MulticastGroup, IsDrawnWithinItsRange) {
    for (const char* text :
         {"239.192.0.0/16", "239.0.0.0/8", "239.1.2.128/25", "239.1.2.3/32", "ff15:7::/32", "ff05::1/128"}) {
        const std::optional<GroupRange> range = parse_groups(text);
        ASSERT_TRUE(range) << text;
        const GroupSecret first = draw_group(*range);
        const GroupSecret second = draw_group(*range);
        ASSERT_EQ(first.usable, 1);
        for (int bit = 0; bit < range->prefix; ++bit) {
            EXPECT_EQ(first.address[bit / 8] >> (7 - bit % 8) & 1, range->bytes[bit / 8] >> (7 - bit % 8) & 1) << text;
        }
        EXPECT_GE(first.port, 49152);
        EXPECT_NE(std::make_pair(first.key.low, first.key.high), std::make_pair(second.key.low, second.key.high));
    }
    EXPECT_EQ(address_text(draw_group(*parse_groups("239.1.2.3/32"))), "239.1.2.3");
    EXPECT_EQ(address_text(draw_group(*parse_groups("ff05::1/128"))), "ff05::1");
}

TEST(MulticastGroup, RangesThatAreNoneAreRefused) {
    for (const char* text : {"", "239.192.0.0", "239.192.0.0/", "239.192.0.0/33", "239.192.0.0/7", "10.0.0.0/8", "/16",
                             "239.192.0.0/16x", "239.192.0/16", "fe80::/16", "ff15::/129", "239.192.0.0/-8"}) {
        EXPECT_FALSE(parse_groups(text)) << text;
    }
}

TEST(MulticastVerdict, LeavesWhatBringsNothingOrMakesTheChainLong) {
    EXPECT_FALSE(is_useless(0, 0, 0, 8));
    EXPECT_FALSE(is_useless(100, 50, 1, 8)) << "half of it lost: one penalty round";
    EXPECT_TRUE(is_useless(100, 80, 1, 8));
    EXPECT_TRUE(is_useless(100, 8, 8, 128)) << "nothing gets through to one part of the network";
    EXPECT_FALSE(is_useless(100, 8, 7, 128));
    EXPECT_TRUE(is_useless(100, 8, 4, 8));
    int compared = 0;
    for (std::uint64_t broadcast = 1; broadcast <= 1024; ++broadcast) compared += compares_after(broadcast) ? 1 : 0;
    EXPECT_EQ(compared, 4 + 16);
    MulticastTally tally;
    tally.add(1, 4, 0);
    tally.add(0, 4, 3);
    EXPECT_EQ(tally.useless, 1);
    EXPECT_EQ(tally.mean_rounds(), 2);
}

}  // namespace
}  // namespace bcast
