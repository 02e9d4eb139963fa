// The wiring program: asks the network how fast streams go that are under way at the same time, and how long short
// messages take there and back. Plain MPI, one rank on every machine.
//
//   mpiexec … wiring QUESTIONS
//
// stdout, from rank 0 alone, is for the tool that started it:
//   warm-up                     every stream's connection has been made for a round: a sign of life
//   answer ROUND X X X …        by stream: bytes per second, or seconds there and back
//   took SECONDS                all rounds, by the clock of rank 0
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tuner/program/wiring/questions.hpp"

namespace bcastgen {

namespace {

// Two chunks of a stream are under way, the second half a chunk behind the first, so that the wire never waits and
// arrivals are spread evenly.
constexpr int chunks_under_way = 2;
constexpr double stagger_s =
    1e-3;  // between pairs that begin one after the other, unless that took all in all more than
constexpr double most_staggering_s = 16e-3;
constexpr double settling_share = 0.25;  // of a round, before rates count

/// The arrivals of a stream's chunks at its receiver.
class Arrivals {
  public:
    explicit Arrivals(double begin_s) : begin_s_(begin_s) {}

    void add(double time_s, double bytes) { chunks_.emplace_back(time_s, bytes); }

    /// Over the part of the round that counts, the same for all streams so that rates can be added: each chunk is taken
    /// to have come evenly since the one before.
    [[nodiscard]] double rate_Bps(double round_s) const {
        const double from_s = begin_s_ + settling_share * round_s;
        const double to_s = chunks_.empty() ? from_s : std::min(begin_s_ + round_s, chunks_.back().first);
        if (to_s <= from_s) return 0;
        double bytes = 0;
        double before_s = begin_s_;
        for (const auto& [time_s, chunk] : chunks_) {
            const double inside_s = std::min(time_s, to_s) - std::max(before_s, from_s);
            if (time_s > before_s && inside_s > 0) {
                bytes += chunk * inside_s / (time_s - before_s);
            } else if (time_s == before_s && time_s > from_s && time_s <= to_s) {
                bytes += chunk;
            }
            before_s = time_s;
        }
        return bytes / (to_s - from_s);
    }

  private:
    double begin_s_;
    std::vector<std::pair<double, double>> chunks_;  ///< time, bytes
};

/// A stream's messages on this rank. The last of each of the chunks under way is one byte long.
struct Messages {
    int stream = 0;
    int peer = 0;
    int tag = 0;
    bool sends = false;
    std::size_t bytes = 0;
    std::vector<char> chunk;
};

class Prober {
  public:
    explicit Prober(const WiringQuestions& questions) : questions_(questions) { MPI_Comm_rank(MPI_COMM_WORLD, &rank_); }

    void run() {
        const double begin_s = MPI_Wtime();
        for (std::size_t at = 0; at < questions_.rounds.size(); ++at) {
            const WiringRound& round = questions_.rounds[at];
            connect(round);
            if (rank_ == 0) {
                std::printf("warm-up\n");
                std::fflush(stdout);
            }
            std::vector<double> own(round.streams.size(), 0);
            meet();
            if (round.rates) {
                measure_rates(round, own);
            } else {
                measure_round_trips(round, own);
            }
            const std::vector<double> all = collected(round, own);
            if (rank_ == 0) print(at, all);
        }
        if (rank_ == 0) std::printf("took %.9g\n", MPI_Wtime() - begin_s);
    }

  private:
    /// By as many messages as a tree is high: SimGrid's MPI_Barrier has one from every rank and one to it, one by one.
    static void meet() {
        int here = 1;
        int all = 0;
        MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }

    /// At rank 0: by stream what the rank measured that measures it.
    [[nodiscard]] std::vector<double> collected(const WiringRound& round, const std::vector<double>& own) const {
        int ranks = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        std::vector<std::vector<std::size_t>> measured_by(static_cast<std::size_t>(ranks));
        for (std::size_t i = 0; i < own.size(); ++i) {
            const auto& [from, to] = round.streams[i];
            measured_by[static_cast<std::size_t>(round.rates ? to : from)].push_back(i);
        }
        std::vector<double> mine;
        for (const std::size_t i : measured_by[static_cast<std::size_t>(rank_)]) mine.push_back(own[i]);
        std::vector<int> counts;
        std::vector<int> places;
        std::vector<std::size_t> streams;
        for (const std::vector<std::size_t>& some : measured_by) {
            counts.push_back(static_cast<int>(some.size()));
            places.push_back(static_cast<int>(streams.size()));
            streams.insert(streams.end(), some.begin(), some.end());
        }
        std::vector<double> gathered(own.size());
        MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, gathered.data(), counts.data(),
                    places.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
        std::vector<double> all(own.size());
        for (std::size_t i = 0; i < streams.size(); ++i) all[streams[i]] = gathered[i];
        return all;
    }

    /// One byte over every stream.
    void connect(const WiringRound& round) {
        char byte = 0;
        std::vector<char> bytes(round.streams.size(), 0);
        std::vector<MPI_Request> requests;
        for (std::size_t i = 0; i < round.streams.size(); ++i) {
            const auto& [from, to] = round.streams[i];
            const int tag = static_cast<int>(i);
            if (to == rank_) MPI_Irecv(&bytes[i], 1, MPI_CHAR, from, tag, MPI_COMM_WORLD, &requests.emplace_back());
            if (from == rank_) MPI_Isend(&byte, 1, MPI_CHAR, to, tag, MPI_COMM_WORLD, &requests.emplace_back());
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

    [[nodiscard]] std::vector<Messages> messages_of(const WiringRound& round) const {
        std::vector<Messages> all;
        for (std::size_t i = 0; i < round.streams.size(); ++i) {
            const auto& [from, to] = round.streams[i];
            if (from != rank_ && to != rank_) continue;
            for (int k = 0; k < chunks_under_way; ++k) {
                const int tag = chunks_under_way * static_cast<int>(i) + k;
                const bool sends = from == rank_;
                const std::size_t chunk = questions_.chunk_bytes;
                all.push_back({static_cast<int>(i), sends ? to : from, tag, sends,
                               sends && k > 0 ? std::max<std::size_t>(2, chunk / 2) : chunk,
                               std::vector<char>(chunk, static_cast<char>(k))});
            }
        }
        return all;
    }

    static void post(Messages& one, MPI_Request& request) {
        const int bytes = static_cast<int>(one.bytes);
        if (one.sends) {  // ends when the receiver takes it: else the system would go on sending after the round
            MPI_Issend(one.chunk.data(), bytes, MPI_CHAR, one.peer, one.tag, MPI_COMM_WORLD, &request);
        } else {
            MPI_Irecv(one.chunk.data(), bytes, MPI_CHAR, one.peer, one.tag, MPI_COMM_WORLD, &request);
        }
    }

    void measure_rates(const WiringRound& round, std::vector<double>& own) const {
        std::vector<Messages> messages = messages_of(round);
        const double begin_s = MPI_Wtime();
        std::vector<Arrivals> arrivals(round.streams.size(), Arrivals(begin_s));
        std::vector<MPI_Request> requests(messages.size(), MPI_REQUEST_NULL);
        for (std::size_t i = 0; i < messages.size(); ++i) post(messages[i], requests[i]);
        while (true) {
            int which = MPI_UNDEFINED;
            MPI_Status status;
            MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &which, &status);
            if (which == MPI_UNDEFINED) break;
            Messages& one = messages[static_cast<std::size_t>(which)];
            const double now_s = MPI_Wtime();
            int bytes = 1;
            if (!one.sends) MPI_Get_count(&status, MPI_CHAR, &bytes);
            if (!one.sends && bytes > 1) arrivals[static_cast<std::size_t>(one.stream)].add(now_s, bytes);
            const bool was_last = one.sends ? one.bytes == 1 : bytes == 1;
            if (was_last) continue;
            if (one.sends) one.bytes = now_s - begin_s < questions_.seconds ? questions_.chunk_bytes : 1;
            post(one, requests[static_cast<std::size_t>(which)]);
        }
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (round.streams[i].second == rank_) own[i] = arrivals[i].rate_Bps(questions_.seconds);
        }
    }

    /// Pairs are not to meet on a trunk, with each other or with what ranks that are done say next.
    void measure_round_trips(const WiringRound& round, std::vector<double>& own) const {
        const double begin_s = MPI_Wtime();
        const double all = static_cast<double>(round.streams.size());
        const double window_s = std::min(stagger_s * all, most_staggering_s);
        for (std::size_t i = 0; i < round.streams.size(); ++i) {
            const auto& [from, to] = round.streams[i];
            if (from != rank_ && to != rank_) continue;
            sleep_until(begin_s + window_s * static_cast<double>(i) / all);
            if (from == rank_) own[i] = least_round_trip_s(to);
            if (to == rank_) answer_round_trips(from);
        }
        sleep_until(begin_s + window_s);
    }

    static void sleep_until(double time_s) {
        const double left_s = time_s - MPI_Wtime();
        if (left_s > 0) usleep(static_cast<unsigned>(1e6 * left_s));
    }

    [[nodiscard]] double least_round_trip_s(int peer) const {
        char nothing = 0;
        double least_s = std::numeric_limits<double>::infinity();
        for (int trip = 0; trip < questions_.trips; ++trip) {
            const double begin_s = MPI_Wtime();
            MPI_Send(&nothing, 0, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
            MPI_Recv(&nothing, 0, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            least_s = std::min(least_s, MPI_Wtime() - begin_s);
        }
        return least_s;
    }

    void answer_round_trips(int peer) const {
        char nothing = 0;
        for (int trip = 0; trip < questions_.trips; ++trip) {
            MPI_Recv(&nothing, 0, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&nothing, 0, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
        }
    }

    static void print(std::size_t round, const std::vector<double>& figures) {
        std::printf("answer %zu", round);
        for (const double figure : figures) std::printf(" %.9g", figure);
        std::printf("\n");
        std::fflush(stdout);
    }

    const WiringQuestions& questions_;
    int rank_ = 0;
};

/// Rank 0 reads the questions, since the others may not see its disk.
bool read_questions(const char* file, WiringQuestions& questions) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::string text;
    if (rank == 0) {
        std::ifstream in(file, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(in), {});
    }
    int bytes = static_cast<int>(text.size());
    MPI_Bcast(&bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    text.resize(static_cast<std::size_t>(bytes));
    MPI_Bcast(text.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    return read_wiring_questions(text, ranks, questions);
}

int answer(const char* file) {
    WiringQuestions questions;
    if (!read_questions(file, questions)) {
        std::fprintf(stderr, "wiring: %s does not hold questions\n", file);
        return 2;
    }
    Prober(questions).run();
    return 0;
}

}  // namespace

}  // namespace bcastgen

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = argc == 2 ? bcastgen::answer(argv[1]) : 2;
    MPI_Finalize();
    return code;
}
