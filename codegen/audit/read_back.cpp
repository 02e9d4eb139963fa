// With fact_reader.cpp and code_text.cpp, the only files that know clang.
#include "codegen/audit/read_back.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/ASTWriter.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "codegen/audit/code_text.hpp"
#include "codegen/audit/fact_reader.hpp"

namespace bcastgen {

namespace {

class Consumer : public clang::ASTConsumer {
  public:
    explicit Consumer(ReadBack& into) : into_(into) {}

    void HandleTranslationUnit(clang::ASTContext& context) override {
        if (context.getDiagnostics().hasErrorOccurred()) return;
        // What is not loaded stands in prepared headers, which do not define the function: it is there twice otherwise.
        for (const clang::Decl* outer : context.getTranslationUnitDecl()->noload_decls()) {
            const auto* space = clang::dyn_cast<clang::NamespaceDecl>(outer);
            if (space == nullptr || space->getName() != "bcast") continue;
            for (const clang::Decl* inner : space->noload_decls()) {
                const auto* function = clang::dyn_cast<clang::FunctionDecl>(inner);
                if (function == nullptr || !function->doesThisDeclarationHaveABody() || !function->getIdentifier())
                    continue;
                if (function->getName() == "site" && function->getNumParams() == 0) {
                    into_.site = returned_by(*function, context);
                }
            }
        }
    }

    /// The engine's code is compared as it is written; only the facts need to be understood.
    bool shouldSkipFunctionBody(clang::Decl* declaration) override {
        const clang::SourceManager& sources = declaration->getASTContext().getSourceManager();
        return !sources.isInMainFile(sources.getExpansionLoc(declaration->getLocation()));
    }

  private:
    ReadBack& into_;
};

class Action : public clang::ASTFrontendAction {
  public:
    explicit Action(ReadBack& into) : into_(into) {}

    bool BeginInvocation(clang::CompilerInstance& compiler) override {
        compiler.getFrontendOpts().SkipFunctionBodies = true;
        return true;
    }
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
        return std::make_unique<Consumer>(into_);
    }

  private:
    ReadBack& into_;
};

/// Parses headers for read_back, which goes on behind them.
class PreparingAction : public clang::ASTFrontendAction {
  public:
    explicit PreparingAction(std::shared_ptr<clang::PCHBuffer> into) : into_(std::move(into)) {}

    bool BeginInvocation(clang::CompilerInstance& compiler) override {
        compiler.getFrontendOpts().SkipFunctionBodies = true;
        compiler.getLangOpts().PCHInstantiateTemplates = true;
        return true;
    }
    clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
        return std::make_unique<clang::PCHGenerator>(compiler.getPreprocessor(), compiler.getModuleCache(), "", "",
                                                     into_, clang::ArrayRef<Extension>());
    }

  private:
    using Extension = std::shared_ptr<clang::ModuleFileExtension>;
    std::shared_ptr<clang::PCHBuffer> into_;
};

/// Keeps the errors instead of printing them.
class Errors : public clang::DiagnosticConsumer {
  public:
    explicit Errors(std::vector<CodeError>& into) : into_(into) {}

    void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
        clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
        if (level < clang::DiagnosticsEngine::Error) return;
        llvm::SmallString<256> message;
        diagnostic.FormatDiagnostic(message);
        CodePlace place;
        if (diagnostic.hasSourceManager()) place = place_of(diagnostic.getSourceManager(), diagnostic.getLocation());
        into_.push_back({place, message.str().str()});
    }

  private:
    std::vector<CodeError>& into_;
};

/// Takes what the compiler's driver makes of a command line, and does nothing.
class Invocation : public clang::tooling::ToolAction {
  public:
    bool runInvocation(std::shared_ptr<clang::CompilerInvocation> invocation, clang::FileManager*,
                       std::shared_ptr<clang::PCHContainerOperations>, clang::DiagnosticConsumer*) override {
        made = std::move(invocation);
        return true;
    }
    std::shared_ptr<clang::CompilerInvocation> made;
};

using Memory = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>;
using FileManager = llvm::IntrusiveRefCntPtr<clang::FileManager>;

/// `text` must outlive the file system.
void add_file(const Memory& memory, const std::string& path, llvm::StringRef text) {
    memory->addFile(std::string(read_from) + path, 0, llvm::MemoryBuffer::getMemBuffer(text, path));
}

/// Of files in memory and those on disk.
FileManager manager_of(const Memory& memory) {
    auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    overlay->pushOverlay(memory);
    return llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), overlay);
}

/// How to read the file `path` of a library. nullptr: there are errors.
std::shared_ptr<clang::CompilerInvocation> invocation_for(const std::string& path,
                                                          const std::vector<std::string>& include_directories,
                                                          const FileManager& manager, Errors& errors) {
    const std::string library(read_from);
    std::vector<std::string> command{"bcastgen",
                                     "-fsyntax-only",
                                     "-fno-caret-diagnostics",
                                     "-std=c++17",
                                     "-w",
                                     "-DOMPI_SKIP_MPICXX",
                                     "-DMPICH_SKIP_MPICXX",
                                     "-I" + library,
                                     "-resource-dir",
                                     BCASTGEN_CLANG_RESOURCES};
    for (const std::string& directory : include_directories) {
        command.push_back("-isystem");
        command.push_back(directory);
    }
    command.push_back(library + path);
    Invocation invocation;
    clang::tooling::ToolInvocation tool(std::move(command), &invocation, manager.get(),
                                        std::make_shared<clang::PCHContainerOperations>());
    tool.setDiagnosticConsumer(&errors);
    tool.run();
    return invocation.made;
}

bool run(std::shared_ptr<clang::CompilerInvocation> invocation, clang::FrontendAction& action,
         const FileManager& manager, Errors& errors) {
    if (invocation == nullptr) return false;
    clang::CompilerInstance compiler;
    compiler.setInvocation(std::move(invocation));
    compiler.setFileManager(manager.get());
    compiler.createDiagnostics(&errors, false);
    compiler.createSourceManager(*manager);
    return compiler.ExecuteAction(action);
}

/// What is the same in every emission.
bool is_copied(const EmittedFile& file) {
    return file.path.starts_with("bcast/");
}

/// The lines of mpi_bcast.cpp that include such files.
std::string includes_of(const std::vector<EmittedFile>& files) {
    std::string lines;
    for (const EmittedFile& file : files) {
        if (file.path != "mpi_bcast.cpp") continue;
        for (const CodeToken& token : tokens_of(file).tokens) {
            if (token.text.starts_with("\n#include \"bcast/")) lines += token.text + "\n";
        }
    }
    return lines;
}

}  // namespace

struct PreparedHeaders {
    std::vector<EmittedFile> copies;
    std::vector<std::string> include_directories;
    std::shared_ptr<clang::PCHBuffer> parsed = std::make_shared<clang::PCHBuffer>();
    FileManager manager;  ///< knows the files that were read
    std::shared_ptr<clang::CompilerInvocation> invocation;

    [[nodiscard]] bool are_those_of(const std::vector<EmittedFile>& files,
                                    const std::vector<std::string>& directories) const {
        auto copy = copies.begin();
        for (const EmittedFile& file : files) {
            if (!is_copied(file)) continue;
            if (copy == copies.end() || copy->path != file.path || copy->text != file.text) return false;
            ++copy;
        }
        return copy == copies.end() && directories == include_directories;
    }
};

std::shared_ptr<const PreparedHeaders> prepare_headers(const std::vector<EmittedFile>& files,
                                                       const std::vector<std::string>& include_directories) {
    const auto headers = std::make_shared<PreparedHeaders>();
    headers->include_directories = include_directories;
    std::copy_if(files.begin(), files.end(), std::back_inserter(headers->copies), is_copied);
    const auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (const EmittedFile& file : headers->copies) add_file(memory, file.path, file.text);
    headers->manager = manager_of(memory);
    constexpr const char* all_headers = "all-headers.cpp";
    const std::string includes = includes_of(files);
    add_file(memory, all_headers, includes);
    std::vector<CodeError> found;
    Errors errors(found);
    headers->invocation = invocation_for(all_headers, include_directories, headers->manager, errors);
    PreparingAction action(headers->parsed);
    if (!run(headers->invocation, action, headers->manager, errors)) {
        throw std::runtime_error(
            fmt::format("headers that cannot be parsed: {}", found.empty() ? "" : found[0].message));
    }
    const std::string parsed = std::string(read_from) + "all-headers.parsed";
    memory->addFile(
        parsed, 0,
        llvm::MemoryBuffer::getMemBuffer({headers->parsed->Data.data(), headers->parsed->Data.size()}, parsed, false));
    headers->invocation->getPreprocessorOpts().ImplicitPCHInclude = parsed;
    clang::FrontendInputFile& input = headers->invocation->getFrontendOpts().Inputs.front();
    input = {std::string(read_from) + "mpi_bcast.cpp", input.getKind()};
    return headers;
}

namespace {

bool read_alone(const std::vector<EmittedFile>& files, const std::vector<std::string>& include_directories,
                clang::FrontendAction& action, Errors& errors) {
    const auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (const EmittedFile& file : files) add_file(memory, file.path, file.text);
    const FileManager manager = manager_of(memory);
    return run(invocation_for("mpi_bcast.cpp", include_directories, manager, errors), action, manager, errors);
}

/// The manager keeps what it knows of files, so the others come beside it.
bool read_behind(const PreparedHeaders& headers, const std::vector<EmittedFile>& files, clang::FrontendAction& action,
                 Errors& errors) {
    const auto invocation = std::make_shared<clang::CompilerInvocation>(*headers.invocation);
    for (const EmittedFile& file : files) {
        if (is_copied(file)) continue;
        const std::string path = std::string(read_from) + file.path;
        invocation->getPreprocessorOpts().addRemappedFile(path,
                                                          llvm::MemoryBuffer::getMemBuffer(file.text, path).release());
    }
    return run(invocation, action, headers.manager, errors);
}

}  // namespace

ReadBack read_back(const std::vector<EmittedFile>& files, const std::vector<std::string>& include_directories,
                   const PreparedHeaders* headers) {
    ReadBack result;
    // The place of findings if the function is missing.
    result.site.place = {"mpi_bcast.cpp", 1, 1};
    Errors errors(result.errors);
    Action action(result);
    const bool prepared = headers != nullptr && headers->are_those_of(files, include_directories);
    const bool read = prepared ? read_behind(*headers, files, action, errors)
                               : read_alone(files, include_directories, action, errors);
    if (!read && result.errors.empty()) {
        result.errors.emplace_back();
        result.errors.back().message = "the compiler gave up";
    }
    return result;
}

}  // namespace bcastgen
