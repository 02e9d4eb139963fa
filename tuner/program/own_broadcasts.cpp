#include "tuner/program/own_broadcasts.hpp"

#include <cstddef>
#include <map>
#include <utility>

#include "bcast/mpi/mpi_library.hpp"
#include "planner/mpis/broadcasts.hpp"

namespace bcastgen {

#if BCAST_LATE_BINDING

namespace {

#ifdef OPEN_MPI
constexpr MpiFamily this_mpi = MpiFamily::open_mpi;
#else
constexpr MpiFamily this_mpi = MpiFamily::mpich;
#endif

constexpr const char* ompi_algorithm = "coll_tuned_bcast_algorithm";
constexpr const char* mpich_algorithm = "MPIR_CVAR_BCAST_INTRA_ALGORITHM";
constexpr const char* mpich_non_blocking = "MPIR_CVAR_IBCAST_INTRA_ALGORITHM";

/// The place of a choice among those that the text of one of MPICH's variables lists, "NAME   - what it is", one after
/// the other: its value. Line ends between them may be lost, so that a name may follow a word without a space. -1: it
/// is not among them.
int place_of(const std::string& name, const std::string& about) {
    int place = 0;
    for (std::size_t dash = about.find(" - "); dash != std::string::npos; dash = about.find(" - ", dash + 1)) {
        const std::size_t end = about.find_last_not_of(' ', dash);
        if (end != std::string::npos && end + 1 >= name.size() &&
            about.compare(end + 1 - name.size(), name.size(), name) == 0) {
            return place;
        }
        ++place;
    }
    return -1;
}

}  // namespace

/// MPI_T's, and what was made with them.
class OwnBroadcasts::Variables {
  public:
    Variables() = default;
    Variables(const Variables&) = delete;
    Variables& operator=(const Variables&) = delete;
    ~Variables() {
        for (auto& [key, made] : made_) {
            if (made.communicator != MPI_COMM_WORLD) MPI_Comm_free(&made.communicator);
        }
        for (auto& [name, opened] : opened_) MPI_T_cvar_handle_free(&opened.handle);
        if (has_tools_) MPI_T_finalize();
    }

    std::string ready(const MeasureCase& one) {
        const MpiBroadcast* row = mpi_broadcast_called(one.algorithm);
        if (row == nullptr || made_.count(key_of(one)) != 0) return "";
        if (row->of != this_mpi) {
            return one.algorithm + " is " + mpi_words(row->of) + "'s own, and this job runs " + mpi_words(this_mpi);
        }
        int provided = 0;
        if (!has_tools_ && MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
            return "this MPI has no tool interface";
        }
        has_tools_ = true;
        Made made;
        for (const auto& [variable, value] : settings_of(*row, one.segment_bytes)) {
            if (value < 0) return variable + " has no choice for " + one.algorithm;
            const Opened* opened = open(variable);
            if (opened == nullptr) return "this MPI has no variable " + variable;
            made.writes.emplace_back(opened->handle, value);
        }
        if (this_mpi == MpiFamily::open_mpi) {
            write(made.writes);
            MPI_Comm_dup(MPI_COMM_WORLD, &made.communicator);
            write({{open(ompi_algorithm)->handle, 0}});
        }
        made_.emplace(key_of(one), std::move(made));
        return "";
    }

    void select(const MeasureCase& one) const {
        if (this_mpi == MpiFamily::mpich) write(made_.at(key_of(one)).writes);
    }

    void deselect() const {
        for (const char* variable : {mpich_algorithm, mpich_non_blocking}) {
            const auto found = opened_.find(variable);
            if (found != opened_.end()) write({{found->second.handle, 0}});
        }
    }

    [[nodiscard]] MPI_Comm communicator(const MeasureCase& one) const { return made_.at(key_of(one)).communicator; }

  private:
    using Key = std::pair<std::string, std::size_t>;  // algorithm and segment size
    using Writes = std::vector<std::pair<MPI_T_cvar_handle, int>>;
    struct Opened {
        MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
        std::string about;
    };
    struct Made {
        MPI_Comm communicator = MPI_COMM_WORLD;
        Writes writes;
    };

    static Key key_of(const MeasureCase& one) { return {one.algorithm, one.segment_bytes}; }

    static void write(const Writes& writes) {
        for (const auto& [handle, value] : writes) MPI_T_cvar_write(handle, &value);
    }

    /// nullptr if there is no such variable, or if it is no number.
    const Opened* open(const std::string& variable) {
        const auto known = opened_.find(variable);
        if (known != opened_.end()) return &known->second;
        int at = 0;
        if (MPI_T_cvar_get_index(variable.c_str(), &at) != MPI_SUCCESS) return nullptr;
        constexpr int most_bytes = 4096;
        std::string name(most_bytes, '\0');
        std::string about(most_bytes, '\0');
        int name_bytes = most_bytes;
        int about_bytes = most_bytes;
        int verbosity = 0;
        int binding = 0;
        int scope = 0;
        int count = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum values = MPI_T_ENUM_NULL;
        Opened opened;
        const bool good = MPI_T_cvar_get_info(at, name.data(), &name_bytes, &verbosity, &type, &values, about.data(),
                                              &about_bytes, &binding, &scope) == MPI_SUCCESS &&
                          type == MPI_INT &&
                          MPI_T_cvar_handle_alloc(at, nullptr, &opened.handle, &count) == MPI_SUCCESS && count == 1;
        if (!good) return nullptr;
        opened.about = about.c_str();
        return &opened_.emplace(variable, std::move(opened)).first->second;
    }

    /// The value of one of MPICH's variables that stands for a choice. -1: it has none such.
    int choice(const std::string& variable, const std::string& name) {
        const Opened* opened = open(variable);
        return opened == nullptr ? -1 : place_of(name, opened->about);
    }

    std::vector<std::pair<std::string, int>> settings_of(const MpiBroadcast& row, std::size_t segment_bytes) {
        const int segment = static_cast<int>(segment_bytes);
        std::vector<std::pair<std::string, int>> settings;
        if (row.of == MpiFamily::open_mpi) {
            settings = {{ompi_algorithm, row.number}, {"coll_tuned_bcast_algorithm_segmentsize", segment}};
            if (row.fan_out != 0) settings.emplace_back("coll_tuned_bcast_algorithm_chain_fanout", row.fan_out);
            return settings;
        }
        const int blocking = choice(mpich_algorithm, row.choice);
        if (row.choice != std::string(mpich_tree)) return {{mpich_algorithm, blocking}};
        const std::string family = blocking >= 0 ? "MPIR_CVAR_BCAST_TREE_" : "MPIR_CVAR_IBCAST_TREE_";
        settings = {{family + "KVAL", row.fan_out}, {family + "PIPELINE_CHUNK_SIZE", segment}};
        settings.emplace_back(mpich_algorithm, blocking >= 0 ? blocking : choice(mpich_algorithm, "nb"));
        if (blocking < 0) settings.emplace_back(mpich_non_blocking, choice(mpich_non_blocking, "tsp_tree"));
        return settings;
    }

    std::map<std::string, Opened> opened_;
    std::map<Key, Made> made_;
    bool has_tools_ = false;
};

#else

/// A simulation has neither MPI.
class OwnBroadcasts::Variables {
  public:
    std::string ready(const MeasureCase& one) {
        return mpi_broadcast_called(one.algorithm) == nullptr ? "" : one.algorithm + " is for jobs of that MPI only";
    }
    void select(const MeasureCase& /*one*/) const {}
    void deselect() const {}
    [[nodiscard]] MPI_Comm communicator(const MeasureCase& /*one*/) const { return MPI_COMM_WORLD; }
};

#endif

OwnBroadcasts::OwnBroadcasts() : variables_(std::make_unique<Variables>()) {}

OwnBroadcasts::~OwnBroadcasts() = default;

std::string OwnBroadcasts::ready(const std::vector<MeasureCase>& cases) {
    for (const MeasureCase& one : cases) {
        std::string problem = variables_->ready(one);
        if (!problem.empty()) return problem;
    }
    return "";
}

void OwnBroadcasts::select(const MeasureCase& one) {
    variables_->select(one);
}

void OwnBroadcasts::deselect() {
    variables_->deselect();
}

MPI_Comm OwnBroadcasts::communicator(const MeasureCase& one) const {
    return variables_->communicator(one);
}

}  // namespace bcastgen
