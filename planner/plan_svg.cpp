#include <graphviz/gvc.h>
#include <stdio.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "plan_formats.hpp"

namespace bcastgen {

namespace {

/// Numbers for the nodes and edges of one graph. Graphviz itself takes their names' addresses, and its layout depends
/// on how those compare: the same plan drawn twice in one process would give two pictures.
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

/// Free-standing parts of a layout in the sequence that they must be undone.
struct Laid {
    std::unique_ptr<GVC_t, int (*)(GVC_t*)> context{gvContext(), gvFreeContext};
    std::unique_ptr<Agraph_t, int (*)(Agraph_t*)> graph{nullptr, agclose};
    ~Laid() {
        if (context && graph) gvFreeLayout(context.get(), graph.get());
    }
};

}  // namespace

std::string plan_svg(const Network& network, const Plan& plan) {
    std::string dot = plan_dot(network, plan);
    static Agiddisc_t ids = deterministic_ids();
    Agdisc_t disciplines{&AgMemDisc, &ids, &AgIoDisc};
    const std::unique_ptr<FILE, int (*)(FILE*)> in(fmemopen(dot.data(), dot.size(), "r"), fclose);
    if (!in) throw std::runtime_error("no memory to draw the plan");
    Laid laid;
    laid.graph.reset(agread(in.get(), &disciplines));
    if (!laid.context || !laid.graph) throw std::runtime_error("Graphviz cannot read the plan's picture");
    if (gvLayout(laid.context.get(), laid.graph.get(), "dot") != 0) {
        throw std::runtime_error("Graphviz cannot lay the plan out");
    }
    char* data = nullptr;
    unsigned length = 0;
    if (gvRenderData(laid.context.get(), laid.graph.get(), "svg", &data, &length) != 0) {
        throw std::runtime_error("Graphviz cannot draw the plan");
    }
    std::string svg(data, length);
    gvFreeRenderData(data);
    return svg;
}

}  // namespace bcastgen
