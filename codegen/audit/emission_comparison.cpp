#include "codegen/audit/emission_comparison.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "codegen/audit/claims.hpp"
#include "codegen/audit/code_comparison.hpp"
#include "codegen/audit/code_text.hpp"
#include "codegen/audit/plain_text.hpp"
#include "codegen/audit/words.hpp"

namespace bcastgen {

const EmittedFile* find_file(const std::vector<EmittedFile>& files, const std::string& path) {
    const auto at =
        std::find_if(files.begin(), files.end(), [&](const EmittedFile& file) { return file.path == path; });
    return at == files.end() ? nullptr : &*at;
}

void EmissionComparison::report(const CodePlace& place, std::string message) {
    const bool ours = place.file.empty() || place.file.front() != '/';
    const std::string file = place.file.empty() ? directory_ : ours ? directory_ + "/" + place.file : place.file;
    findings_.push_back({plain(file), place.line, place.column, std::move(message), line_of(place)});
}

ReportFact EmissionComparison::reporter() {
    return [this](const CodePlace& place, std::string message) { report(place, std::move(message)); };
}

std::string EmissionComparison::line_of(const CodePlace& place) const {
    const EmittedFile* file = find_file(library_.files, place.file);
    if (file == nullptr || place.line == 0) return "";
    const std::vector<std::string_view> lines = lines_of(file->text);
    const auto line = static_cast<std::size_t>(place.line) - 1;
    return line < lines.size() ? plain(lines[line]) : "";
}

void EmissionComparison::compare_files(const std::vector<EmittedFile>& expected) {
    for (const Stranger& stranger : library_.strangers) report({stranger.path, 0, 0}, stranger.finding);
    for (const EmittedFile& should : expected) {
        if (should.path.ends_with(".md")) continue;
        const EmittedFile* is = find_file(library_.files, should.path);
        if (is == nullptr) {
            report({should.path, 0, 0}, "expected this file, found none");
        } else {
            compare_file(should, *is);
        }
    }
}

void EmissionComparison::compare_file(const EmittedFile& should, const EmittedFile& is) {
    const bool copied = should.path.starts_with("bcast/");
    if (copied && is.text == should.text) return;
    const std::size_t before = findings_.size();
    check_characters(is, reporter());
    if (!copied) check_line_ends(is, reporter());
    if (findings_.size() != before) return;
    if (copied) {
        compare_copies(should, is, reporter());
    } else if (should.path == "CMakeLists.txt") {
        compare_tokens(words_of_build_file(should), words_of_build_file(is), is.path, reporter());
    } else if (should.path == "modulefile") {
        compare_tokens(words_of_modulefile(should), words_of_modulefile(is), is.path, reporter());
    } else if (should.path == "mpi_bcast.cpp") {
        compare_tokens(tokens_of(should).tokens, tokens_of(is).tokens, is.path, reporter());
    } else {
        const std::vector<CodeToken> tokens = tokens_of(is).tokens;
        compare_tokens(directives_of(tokens_of(should).tokens), directives_of(tokens), is.path, reporter());
        check_lengths(tokens, reporter());
        check_contents(tokens, reporter());
    }
}

void EmissionComparison::compare_code(const std::vector<EmittedFile>& expected) {
    for (const EmittedFile& should : expected) {
        const bool generated =
            should.path == "site_plan.hpp" || should.path == "site_tuning.hpp" || should.path == "mpi_bcast.cpp";
        if (!generated) continue;
        const CodeText meant = tokens_of(should);
        const CodeText found = tokens_of(*find_file(library_.files, should.path));
        compare_tokens(meant.tokens, found.tokens, should.path, reporter());
        compare_claims(meant.comments, found.comments, reporter());
    }
}

}  // namespace bcastgen
