// What multicast broadcasts need besides datagrams: messages between two ranks that always arrive, in order.
#pragma once

#include <cstddef>

namespace bcast {

/// Messages on their way are known by handles. Their memory must last until they have completed. Results are MPI error
/// codes, 0 for none.
class ReliableLinks {
  public:
    ReliableLinks() = default;
    ReliableLinks(const ReliableLinks&) = delete;
    ReliableLinks& operator=(const ReliableLinks&) = delete;
    virtual ~ReliableLinks() = default;

    virtual int send(int rank, int tag, const void* data, std::size_t bytes, int& handle) = 0;
    virtual int receive(int rank, int tag, void* data, std::size_t bytes, int& handle) = 0;

    /// Checks what has completed; `some` becomes true if anything has.
    virtual int progress(bool& some) = 0;

    /// True once the message has completed; its handle is then free for others.
    virtual bool take(int handle) = 0;
};

/// A message that may be on its way.
struct UnderWay {
    int handle = -1;

    [[nodiscard]] bool is() const { return handle >= 0; }

    /// True once, when it has completed.
    bool take(ReliableLinks& links) {
        if (handle < 0 || !links.take(handle)) return false;
        handle = -1;
        return true;
    }
};

}  // namespace bcast
