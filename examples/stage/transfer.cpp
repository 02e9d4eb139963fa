#include "transfer.hpp"

#include "patience.hpp"
#include "progress.hpp"
#include "reader.hpp"
#include "writer.hpp"

// Nothing in here waits for all machines: rank 0 begins with a chunk while the last machines still get the one before,
// and that keeps the wire busy. So failures are not agreed upon by a reduction, which would drain the pipeline. A
// machine that fails tells rank 0 by a message of its own and goes on passing chunks along; rank 0 looks for such
// messages between broadcasts and says "stop" in the end of its next chunk, which reaches everybody as any chunk does.
namespace stage {

namespace {

constexpr int buffers = 4;  // one is being read or written, one on the wire, and two even out what is uneven
constexpr int tag_failed = 1;

void fill_with_buffers(ChunkQueue& free, std::uint64_t chunk_bytes) {
    for (int buffer = 0; buffer < buffers; ++buffer) {
        Chunk chunk;
        chunk.data.resize(chunk_bytes + sizeof(ChunkEnd));
        free.put(std::move(chunk));
    }
}

void broadcast(Chunk& chunk, MPI_Comm writers) {
    MPI_Bcast(chunk.data.data(), static_cast<int>(chunk.bytes + sizeof(ChunkEnd)), MPI_BYTE, 0, writers);
}

/// How machines tell rank 0 that they have failed.
class FailureMessages {
  public:
    explicit FailureMessages(MPI_Comm writers) : writers_(writers) {}

    /// Once, and at once: the message is short enough to need no receiver yet.
    void tell() {
        if (told_ == 0) MPI_Send(nullptr, 0, MPI_BYTE, 0, tag_failed, writers_);
        told_ = 1;
    }
    /// On rank 0: whether one has come.
    bool heard() {
        int there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, tag_failed, writers_, &there, MPI_STATUS_IGNORE);
        if (there != 0) receive();
        return heard_ > 0;
    }
    /// Collective, after the last broadcast: rank 0 takes those that it has not looked for.
    void end() {
        int all = 0;
        MPI_Reduce(&told_, &all, 1, MPI_INT, MPI_SUM, 0, writers_);
        while (heard_ < all) receive();
    }

  private:
    void receive() {
        MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, tag_failed, writers_, MPI_STATUS_IGNORE);
        ++heard_;
    }

    MPI_Comm writers_;
    int told_ = 0;
    int heard_ = 0;
};

/// Rank 0: reads, broadcasts, and writes for its own machine. Why the source could not be read, if so.
std::optional<std::string> send(const Machines& machines, const Arguments& arguments, const Chunking& chunks,
                                std::uint64_t first, Reader& reader, Writer& writer, FailureMessages& failures,
                                Patience& patience) {
    Progress progress(arguments.name, chunks.stream_bytes, chunks.offset(first), arguments.quiet);
    reader.start(first);
    for (std::uint64_t index = first; index < chunks.count(); ++index) {
        Chunk chunk = reader.next();
        ChunkEnd end = chunk.end();
        const bool unreadable = end.stop != 0;
        if (writer.failed() || failures.heard()) end.stop = 1;
        chunk.set_end(end);
        broadcast(chunk, machines.writers());
        patience.moved();
        if (unreadable) return reader.failure();
        if (end.stop != 0) break;
        progress.show(chunks.offset(index) + chunk.bytes);
        writer.put(std::move(chunk));
    }
    return std::nullopt;
}

void receive(const Machines& machines, const Chunking& chunks, std::uint64_t first, ChunkQueue& free, Writer& writer,
             FailureMessages& failures, Patience& patience) {
    for (std::uint64_t index = first; index < chunks.count(); ++index) {
        Chunk chunk;
        free.take(chunk);
        if (writer.failed()) failures.tell();
        chunk.index = index;
        chunk.bytes = chunks.bytes(index);
        broadcast(chunk, machines.writers());
        patience.moved();
        if (chunk.end().stop != 0) return;
        writer.put(std::move(chunk));
    }
}

}  // namespace

void transfer(const Machines& machines, const Arguments& arguments, const Manifest& manifest, const JournalHead& head,
              Destination& destination, std::uint64_t first) {
    const Chunking chunks{manifest.stream_bytes(), head.chunk_bytes};
    ChunkQueue free;
    fill_with_buffers(free, head.chunk_bytes);
    FailureMessages failures(machines.writers());
    std::optional<std::string> failure;
    {
        Patience patience(machines, arguments.source, chunks.count());
        Writer writer(destination, free);
        if (machines.is_root()) {
            Reader reader(arguments.source, manifest, chunks, head.key, free);
            failure = send(machines, arguments, chunks, first, reader, writer, failures, patience);
        } else {
            receive(machines, chunks, first, free, writer, failures, patience);
        }
        if (!failure) failure = writer.end();
    }
    failures.end();
    machines.together([&] {
        if (failure) throw Failure(*failure);
    });
}

}  // namespace stage
