#include "planner/formats/slurm/slurm_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/source_text.hpp"
#include "planner/formats/slurm/slurm_reader.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_files = 1000;
constexpr std::size_t most_bytes = std::size_t{64} << 20;  // as of any file

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/// The part of a line that follows "Include", a word of any case with a blank after it; npos for another line.
std::size_t after_include(std::string_view line) {
    constexpr std::string_view word = "include";
    std::size_t at = 0;
    while (at < line.size() && is_blank(line[at])) ++at;
    if (line.size() < at + word.size()) return std::string_view::npos;
    for (const char c : word) {
        if (std::tolower(static_cast<unsigned char>(line[at++])) != c) return std::string_view::npos;
    }
    return at == line.size() || is_blank(line[at]) ? at : std::string_view::npos;
}

class IncludeReader {
  public:
    explicit IncludeReader(const SlurmIncludes& includes) : includes_(includes) {}

    SlurmText read(const std::vector<ImportFile>& files) {
        for (const ImportFile& file : files) {
            const std::string name = includes_.locate("", file.name);
            if (known_.insert(name).second) add(file, name);
        }
        if (!errors_.empty()) throw InputErrors(std::move(errors_));
        return std::move(joined_);
    }

  private:
    void add(const ImportFile& file, const std::string& name) {
        const std::size_t number = joined_.files.size();
        joined_.files.push_back(file.name);
        open_.push_back(name);
        SourceText source(file.text, file.name);
        const std::vector<std::string_view>& lines = source.lines();
        for (std::size_t at = 0; at < lines.size(); ++at) {
            const int line = static_cast<int>(at) + 1;
            const std::string_view before_comment = lines[at].substr(0, lines[at].find('#'));
            const std::size_t path = after_include(before_comment);
            if (path == std::string_view::npos) {
                add_line(lines[at], {number, line});
                continue;
            }
            add_line("", {number, line});
            follow(source, file.name, before_comment, path, line);
        }
        if (!lines.empty() && lines.back().ends_with('\\')) add_line("", {number, static_cast<int>(lines.size())});
        open_.pop_back();
        collect(errors_, [&source] { source.throw_if_errors(); });
    }

    void add_line(std::string_view line, SlurmText::Origin origin) {
        joined_.text.append(line) += '\n';
        joined_.origins.push_back(origin);
    }

    void follow(SourceText& source, const std::string& includer, std::string_view line, std::size_t at, int number) {
        while (at < line.size() && is_blank(line[at])) ++at;
        std::size_t end = at;
        while (end < line.size() && !is_blank(line[end])) ++end;
        const std::string written(line.substr(at, end - at));
        const Place place{number, static_cast<int>(at) + 1};
        std::size_t rest = end;
        while (rest < line.size() && is_blank(line[rest])) ++rest;
        if (written.empty()) return source.error(place, "the name of the file to include is missing here");
        if (rest < line.size()) {
            return source.error({number, static_cast<int>(rest) + 1}, "nothing can stand here, after an Include");
        }
        if (written.find('%') != std::string::npos) {
            return source.error(place, "what Slurm puts for % is not known here; write the name of the file in full");
        }
        const std::string path = includes_.locate(includer, written);
        const auto circle = std::find(open_.begin(), open_.end(), path);
        if (circle != open_.end()) {
            std::string way;
            for (auto file = circle; file != open_.end(); ++file) way += *file + " includes ";
            return source.error(place, fmt::format("files include each other: {}{}", way, path));
        }
        if (!known_.insert(path).second) return;
        if (known_.size() > most_files || joined_.text.size() > most_bytes) {
            return source.error(place, fmt::format("more than {} files or 64 MiB are included", most_files));
        }
        ImportFile included{path, ""};
        try {
            included.text = includes_.read(path);
        } catch (const InputErrors& unreadable) {
            return source.error(
                place, fmt::format("{} {}; put its lines here, or import what scontrol show topology prints", path,
                                   unreadable.diagnostics().front().message));
        }
        add(included, path);
    }

    const SlurmIncludes& includes_;
    SlurmText joined_;
    std::vector<std::string> open_;  // the file that is being read, after those that lead to it
    std::set<std::string> known_;
    std::vector<Diagnostic> errors_;
};

}  // namespace

std::string SlurmText::name_line(int line) const {
    if (files.size() == 1) return line_of_file(line);
    const Origin& origin = origins.at(static_cast<std::size_t>(line) - 1);
    return fmt::format("line {} of {}", origin.line, files[origin.file]);
}

InputErrors SlurmText::in_their_files(const InputErrors& errors) const {
    std::vector<Diagnostic> moved = errors.diagnostics();
    for (Diagnostic& error : moved) {
        if (error.line < 1 || static_cast<std::size_t>(error.line) > origins.size()) continue;
        const Origin& origin = origins[static_cast<std::size_t>(error.line) - 1];
        error.file = files[origin.file];
        error.line = origin.line;
    }
    return InputErrors(std::move(moved), errors.more());
}

bool is_slurm_include(std::string_view line) {
    return after_include(line.substr(0, line.find('#'))) != std::string_view::npos;
}

SlurmText with_includes(const std::vector<ImportFile>& files, const SlurmIncludes& includes) {
    return IncludeReader(includes).read(files);
}

}  // namespace bcastgen
