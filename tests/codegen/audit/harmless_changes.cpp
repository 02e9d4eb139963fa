#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "codegen/audit/code_text.hpp"
#include "tests/codegen/audit/random_changes.hpp"

namespace bcastgen::testing {

namespace fs = std::filesystem;

namespace {

using Library = SampleDirectory;
using Random = std::mt19937;

const std::string remarks[] = {"checked by N.N.",     "2024-05-01: as agreed", "gepr\u00fcft \u2013 in Ordnung",
                               "\u5408\u683c \u2713", "}; // {\" don't",       "int unused = 1;",
                               "#include <nothing>",  "bcastgen \\ and more"};
const std::string sources[] = {"site_plan.hpp", "site_tuning.hpp", "mpi_bcast.cpp"};

template <class List>
const auto& any_of_them(const List& list, Random& random) {
    return list[random() % std::size(list)];
}

std::size_t start_of_line(const std::string& text, int line) {
    std::size_t start = 0;
    while (--line > 0) start = text.find('\n', start) + 1;
    return start;
}

std::size_t place_in_text(const std::string& text, const CodePlace& place) {
    return start_of_line(text, place.line) + static_cast<std::size_t>(place.column) - 1;
}

/// Blanks, line ends and comments between two tokens.
Change rewrap_code(const Library& library, Random& random) {
    const std::string& path = any_of_them(sources, random);
    std::string text = library.text(path);
    const std::vector<CodeToken> tokens = tokens_of({path, text}).tokens;
    const CodeToken& token = any_of_them(tokens, random);
    if (token.text.front() == '\n') return "";
    const std::string between[] = {" ",      "\t",
                                   "\n",     "\n\n   ",
                                   "/**/",   "\n// " + any_of_them(remarks, random) + "\n",
                                   "\r\n",   "/* " + any_of_them(remarks, random) + "\n   ... */ ",
                                   "// \n  "};
    const std::string& added = any_of_them(between, random);
    library.write(path, text.insert(place_in_text(text, token.place), added));
    return fmt::format("{}:{}:{}: {} put in", path, token.place.line, token.place.column, added);
}

/// A comment between lines, also between those of others.
Change add_comment(const Library& library, Random& random) {
    const std::string& path = any_of_them(sources, random);
    std::string text = library.text(path);
    std::vector<std::size_t> starts = {0};
    for (std::size_t at = text.find('\n'); at != std::string::npos && at + 1 < text.size();
         at = text.find('\n', at + 1)) {
        starts.push_back(at + 1);
    }
    const std::string kinds[] = {"// {}\n", "/* {} */\n", "\t// {}\n", "\n", "/// {}\n\n", "// {} //\n"};
    const std::string& remark = any_of_them(remarks, random);
    const std::string comment = fmt::format(fmt::runtime(any_of_them(kinds, random)), remark);
    library.write(path, text.insert(any_of_them(starts, random), comment));
    return path + ": a comment: " + comment;
}

Change remove_comment(const Library& library, Random& random) {
    const std::string& path = any_of_them(sources, random);
    std::string text = library.text(path);
    const std::vector<CodeToken> comments = tokens_of({path, text}).comments;
    if (comments.empty()) return "";
    const CodeToken& comment = any_of_them(comments, random);
    const std::string now = random() % 2 == 0 ? " " : "// " + any_of_them(remarks, random);
    library.write(path, text.replace(place_in_text(text, comment.place), comment.text.size(),
                                     comment.text.starts_with("//") ? now : " "));
    return fmt::format("{}:{}: {} -> {}", path, comment.place.line, comment.text, now);
}

/// Line ends of the other system, in any file, copied ones too.
Change change_line_ends(const Library& library, Random& random) {
    std::vector<std::string> paths;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(library.path())) {
        if (entry.is_regular_file()) paths.push_back(entry.path().lexically_relative(library.path()).generic_string());
    }
    std::sort(paths.begin(), paths.end());
    const std::string path = any_of_them(paths, random);
    std::string text = library.text(path);
    const unsigned kind = random() % 4;
    if (kind == 0) {
        while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    } else {
        for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
            if (at == 0 || text[at - 1] != '\r') text.insert(at, 1, '\r'), ++at;
            if (kind == 1 && random() % 2 == 0) text.erase(--at, 1);
        }
    }
    library.write(path, text);
    return path + ": line ends";
}

Change rewrap_build_file(const Library& library, Random& random) {
    const std::string path = "CMakeLists.txt";
    std::string text = library.text(path);
    const std::vector<CodeToken> words = words_of_build_file({path, text});
    const CodeToken& word = any_of_them(words, random);
    const std::size_t at = place_in_text(text, word.place);
    const bool command = word.text.front() == '\n';
    if (word.text == "(") return "";
    // A command's name stands at the start of a line; what is in parentheses stands anywhere.
    const auto depth = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '(') -
                       std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), ')');
    if (!command && depth <= 0) return "";
    const std::string added[] = {command ? "\n" : "\n    ", "   ", "\t", "# " + any_of_them(remarks, random) + "\n"};
    library.write(path, text.insert(at, any_of_them(added, random)));
    return fmt::format("{}:{}:{}: blanks or a comment", path, word.place.line, word.place.column);
}

Change rewrap_modulefile(const Library& library, Random& random) {
    const std::string path = "modulefile";
    std::string text = library.text(path);
    const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    const std::size_t at = start_of_line(text, 2 + static_cast<int>(random() % static_cast<unsigned>(lines - 1)));
    const std::string added[] = {"\n", "  ", "\t", "# checked by N.N.\n", "   # gepr\u00fcft; [ok] $x \"\n", "\r\n"};
    const std::string& what = any_of_them(added, random);
    library.write(path, text.insert(at, what));
    return fmt::format("{}: at {}: {}", path, at, what);
}

Change add_file(const Library& library, Random& random) {
    const std::string files[] = {"LICENSE",
                                 "LICENSE-MIT",
                                 "COPYING.LESSER",
                                 "NOTES",
                                 "notes.txt",
                                 "CHANGELOG.md",
                                 "docs.pdf",
                                 "mycluster.yaml",
                                 "tuning.db",
                                 "tuning.yaml",
                                 ".gitignore",
                                 ".gitattributes",
                                 ".git/config",
                                 ".git/hooks/x.h",
                                 ".git",
                                 ".github/workflows/x.yml",
                                 "README",
                                 "bcast/README.md",
                                 "bcast/trees/notes.txt",
                                 "build/mpich/libbcast_small.so",
                                 "build/openmpi/libbcast_small.so",
                                 "mpi_bcast.cpp~",
                                 "bcast/facts/site.hpp.orig",
                                 ".editorconfig",
                                 "library.sha256"};
    const std::string& file = any_of_them(files, random);
    if (fs::exists(library.path(file)) || (file == ".git/config" && fs::is_regular_file(library.path(".git"))))
        return "";
    if (file.starts_with(".git/") && fs::is_regular_file(library.path(".git"))) return "";
    library.write(file, "anything: \x01 #include <x>\n");
    return file + " added";
}

Change change_what_is_not_read(const Library& library, Random& random) {
    switch (random() % 4) {
        case 0:
            library.write("README.md", "Something else.");
            return "another README";
        case 1:
            fs::remove(library.path("README.md"));
            return "no README";
        case 2:
            fs::permissions(library.path("mpi_bcast.cpp"), fs::perms::owner_all | fs::perms::group_read);
            return "other permissions";
        default:
            fs::create_directories(library.path("empty/folder").parent_path());
            fs::last_write_time(library.path("site_plan.hpp"), fs::file_time_type::min() + std::chrono::hours(1));
            return "another time, an empty folder";
    }
}

}  // namespace

Change change_nothing(const Library& library, Random& random) {
    constexpr Change (*changes[])(const Library&, Random&) = {
        rewrap_code,       rewrap_code,       add_comment, remove_comment,         change_line_ends,
        rewrap_build_file, rewrap_modulefile, add_file,    change_what_is_not_read};
    Change change;
    while (change.empty()) change = any_of_them(changes, random)(library, random);
    return change;
}

}  // namespace bcastgen::testing
