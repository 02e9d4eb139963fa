#include "planner/picture/graphviz_svg.hpp"

#include <graphviz/gvc.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace bcastgen {

namespace {

/// Numbers for the nodes and edges of one graph. Graphviz itself uses the addresses of their names, and its layout
/// depends on how those compare: the same plan drawn twice in one process would give two pictures.
class Ids {
  public:
    /// Graphviz's contract: 1 and the number if there is one or `create` asks for one, else 0. No name: always a new
    /// one.
    long map(int type, const char* name, IDTYPE* id, int create) {
        if (name == nullptr) {
            if (create != 0) *id = ++last_;
            return create != 0 ? 1 : 0;
        }
        auto& numbers = by_name_.at(static_cast<std::size_t>(type == AGINEDGE ? AGEDGE : type));
        const auto found = numbers.find(name);
        if (found != numbers.end()) {
            *id = found->second;
            return 1;
        }
        if (create == 0) return 0;
        *id = ++last_;
        numbers.emplace(name, *id);
        names_.emplace(*id, name);
        return 1;
    }

    char* name(IDTYPE id) {
        const auto found = names_.find(id);
        return found == names_.end() ? nullptr : found->second.data();
    }

  private:
    IDTYPE last_ = 0;
    std::array<std::unordered_map<std::string, IDTYPE>, 4> by_name_;  // by object type
    std::unordered_map<IDTYPE, std::string> names_;
};

Agiddisc_t deterministic_ids() {
    Agiddisc_t ids{};
    ids.open = [](Agraph_t*, Agdisc_t*) -> void* { return new Ids; };
    ids.map = [](void* state, int type, char* name, IDTYPE* id, int create) {
        return static_cast<Ids*>(state)->map(type, name, id, create);
    };
    ids.alloc = [](void*, int, IDTYPE) { return 0L; };
    ids.free = [](void*, int, IDTYPE) {};
    ids.print = [](void* state, int, IDTYPE id) { return static_cast<Ids*>(state)->name(id); };
    ids.close = [](void* state) { delete static_cast<Ids*>(state); };
    ids.idregister = [](void*, int, void*) {};
    return ids;
}

/// Graphviz's reading from a channel, which here is a std::string_view of what is still unread: 0 at its end.
int read_some(void* channel, char* buffer, int size) {
    auto& unread = *static_cast<std::string_view*>(channel);
    const std::size_t count = std::min(unread.size(), static_cast<std::size_t>(size));
    std::memcpy(buffer, unread.data(), count);
    unread.remove_prefix(count);
    return static_cast<int>(count);
}

/// One for the life of the process: Graphviz's text plugin keeps a pointer into the context that it saw first, so a
/// second one reads freed memory.
GVC_t* graphviz() {
    static GVC_t* const context = gvContext();
    if (context == nullptr) throw std::runtime_error("Graphviz cannot be started");
    return context;
}

/// A graph from reading through layout to release.
class Picture {
  public:
    explicit Picture(const std::string& dot) {
        (void)graphviz();  // sets the defaults that reading relies on, the nodes' labels among them
        static Agiddisc_t ids = deterministic_ids();
        static Agiodisc_t io{read_some, AgIoDisc.putstr, AgIoDisc.flush};
        Agdisc_t disciplines{&AgMemDisc, &ids, &io};
        std::string_view unread = dot;
        graph_ = agread(&unread, &disciplines);
        if (graph_ == nullptr) throw std::runtime_error("Graphviz cannot read the picture");
        if (gvLayout(graphviz(), graph_, "dot") == 0) return;
        agclose(graph_);
        throw std::runtime_error("Graphviz cannot lay the picture out");
    }
    Picture(const Picture&) = delete;
    Picture& operator=(const Picture&) = delete;
    ~Picture() {
        gvFreeLayout(graphviz(), graph_);
        agclose(graph_);
    }
    [[nodiscard]] Agraph_t* graph() const { return graph_; }

  private:
    Agraph_t* graph_ = nullptr;
};

}  // namespace

std::string graph_svg(const std::string& dot) {
    const Picture picture(dot);
    char* data = nullptr;
    unsigned length = 0;
    if (gvRenderData(graphviz(), picture.graph(), "svg", &data, &length) != 0) {
        throw std::runtime_error("Graphviz cannot draw the picture");
    }
    std::string svg(data, length);
    gvFreeRenderData(data);
    return svg;
}

std::string dot_string(std::string_view text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

}  // namespace bcastgen
