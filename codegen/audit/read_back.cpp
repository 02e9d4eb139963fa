// The only file that knows clang.
#include "codegen/audit/read_back.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace bcastgen {

namespace {

/// The library's directory while it is read; nothing on disk can be there.
const std::string read_from = "/bcastgen-audit-of-an-emitted-library/";

CodePlace place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
    const clang::PresumedLoc shown = sources.getPresumedLoc(sources.getExpansionLoc(location));
    if (shown.isInvalid()) return {};
    std::string file = shown.getFilename();
    if (file.compare(0, read_from.size(), read_from) == 0) file.erase(0, read_from.size());
    return {file, static_cast<int>(shown.getLine()), static_cast<int>(shown.getColumn())};
}

/// Turns clang's constants into facts; the place of each is that of its initializer.
class FactReader {
  public:
    explicit FactReader(clang::ASTContext& context) : context_(context) {}

    Fact variable(const clang::VarDecl& variable) {
        const clang::VarDecl* defined = variable.getInitializingDeclaration();
        if (defined == nullptr) defined = &variable;
        const clang::APValue* value = defined->evaluateValue();
        Fact fact;
        fact.place = place(defined->getLocation());
        // A table of foreign types might lead back to itself.
        constexpr int deepest = 8;
        if (value == nullptr || depth_ == deepest) return fact;
        ++depth_;
        fact = constant(*value, defined->getType(), defined->getInit(), fact.place);
        --depth_;
        return fact;
    }

    Fact expression(const clang::Expr& expression) {
        Fact fact;
        fact.place = place(expression.getExprLoc());
        clang::Expr::EvalResult result;
        const bool lvalue = expression.isGLValue();
        if (lvalue ? !expression.EvaluateAsLValue(result, context_) : !expression.EvaluateAsRValue(result, context_)) {
            return fact;
        }
        if (!lvalue) return constant(result.Val, expression.getType(), nullptr, fact.place);
        const auto* base = result.Val.getLValueBase().dyn_cast<const clang::ValueDecl*>();
        const auto* named = base == nullptr ? nullptr : clang::dyn_cast<clang::VarDecl>(base);
        return named == nullptr ? fact : variable(*named);
    }

  private:
    [[nodiscard]] CodePlace place(clang::SourceLocation location) const {
        return place_of(context_.getSourceManager(), location);
    }

    static const clang::InitListExpr* list_of(const clang::Expr* written) {
        if (written == nullptr) return nullptr;
        const auto* list = clang::dyn_cast<clang::InitListExpr>(written->IgnoreImplicit());
        if (list != nullptr && !list->isSemanticForm()) list = list->getSemanticForm();
        return list;
    }

    /// The initializer of a constant that is referred to by name, so that an edit is shown where it was made.
    static const clang::Expr* meant_by(const clang::Expr* written) {
        while (written != nullptr) {
            const auto* named = clang::dyn_cast<clang::DeclRefExpr>(written->IgnoreImplicit());
            const auto* variable = named == nullptr ? nullptr : clang::dyn_cast<clang::VarDecl>(named->getDecl());
            if (variable == nullptr || variable->getAnyInitializer() == nullptr) break;
            written = variable->getAnyInitializer();
        }
        return written;
    }

    static const clang::Expr* item_of(const clang::InitListExpr* list, unsigned index) {
        return list != nullptr && index < list->getNumInits() ? list->getInit(index) : nullptr;
    }

    Fact constant(const clang::APValue& value, clang::QualType type, const clang::Expr* written,
                  const CodePlace& around) {
        Fact fact;
        written = meant_by(written);
        fact.place = written != nullptr && written->getBeginLoc().isValid() ? place(written->getBeginLoc()) : around;
        if (value.isInt()) {
            fact.kind = Fact::Kind::number;
            fact.number = value.getInt().isSigned() ? value.getInt().getSExtValue()
                                                    : static_cast<std::int64_t>(value.getInt().getZExtValue());
        } else if (value.isArray()) {
            read_array(fact, value, type, list_of(written));
        } else if (value.isStruct()) {
            read_struct(fact, value, type, written);
        } else if (value.isLValue()) {
            read_address(fact, value);
        }
        return fact;
    }

    /// A table with fewer values than it says is no fact.
    void read_array(Fact& fact, const clang::APValue& value, clang::QualType type, const clang::InitListExpr* list) {
        if (value.getArraySize() != value.getArrayInitializedElts()) return;
        fact.kind = Fact::Kind::list;
        const clang::QualType element = context_.getAsArrayType(type)->getElementType();
        for (unsigned index = 0; index < value.getArraySize(); ++index) {
            fact.items.push_back(
                constant(value.getArrayInitializedElt(index), element, item_of(list, index), fact.place));
        }
    }

    void read_struct(Fact& fact, const clang::APValue& value, clang::QualType type, const clang::Expr* written) {
        fact.kind = Fact::Kind::list;
        const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
        if (record != nullptr && record->getName() == "Span") {
            read_span(fact, value);
            return;
        }
        const clang::InitListExpr* list = list_of(written);
        for (const clang::FieldDecl* field : record->fields()) {
            const unsigned index = field->getFieldIndex();
            fact.items.push_back(
                constant(value.getStructField(index), field->getType(), item_of(list, index), fact.place));
        }
    }

    /// A span refers to a whole table; anything else is not a fact.
    void read_span(Fact& fact, const clang::APValue& value) {
        if (value.getStructNumFields() != 2 || !value.getStructField(1).isInt()) return;
        const clang::APValue& items = value.getStructField(0);
        const std::uint64_t count = value.getStructField(1).getInt().getZExtValue();
        if (items.isNullPointer() && count == 0) return;
        const auto* base = items.isLValue() ? items.getLValueBase().dyn_cast<const clang::ValueDecl*>() : nullptr;
        const auto* table = base == nullptr ? nullptr : clang::dyn_cast<clang::VarDecl>(base);
        Fact shown = table == nullptr || !items.getLValueOffset().isZero() ? Fact{} : variable(*table);
        if (shown.kind != Fact::Kind::list || shown.items.size() != count) {
            fact.kind = Fact::Kind::nothing;
            return;
        }
        fact = std::move(shown);
    }

    void read_address(Fact& fact, const clang::APValue& value) {
        const clang::APValue::LValueBase base = value.getLValueBase();
        if (const auto* written = base.dyn_cast<const clang::Expr*>()) {
            const auto* literal = clang::dyn_cast<clang::StringLiteral>(written);
            if (literal == nullptr || literal->getCharByteWidth() != 1 || !value.getLValueOffset().isZero()) return;
            fact.kind = Fact::Kind::text;
            fact.text = literal->getBytes().str();
        }
    }

    clang::ASTContext& context_;
    int depth_ = 0;  ///< of the tables that lead to one another
};

/// The value that a function without branches returns.
class Returned : public clang::RecursiveASTVisitor<Returned> {
  public:
    bool VisitReturnStmt(clang::ReturnStmt* statement) {
        value = count++ == 0 ? statement->getRetValue() : nullptr;
        return true;
    }
    const clang::Expr* value = nullptr;
    int count = 0;
};

class Consumer : public clang::ASTConsumer {
  public:
    explicit Consumer(ReadBack& into) : into_(into) {}

    void HandleTranslationUnit(clang::ASTContext& context) override {
        if (context.getDiagnostics().hasErrorOccurred()) return;
        for (const clang::Decl* outer : context.getTranslationUnitDecl()->decls()) {
            const auto* space = clang::dyn_cast<clang::NamespaceDecl>(outer);
            if (space == nullptr || space->getName() != "bcast") continue;
            for (const clang::Decl* inner : space->decls()) {
                const auto* function = clang::dyn_cast<clang::FunctionDecl>(inner);
                if (function == nullptr || !function->doesThisDeclarationHaveABody() || !function->getIdentifier())
                    continue;
                if (function->getName() == "site" && function->getNumParams() == 0) {
                    into_.site = returned(context, *function);
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
    static Fact returned(clang::ASTContext& context, const clang::FunctionDecl& function) {
        Returned visitor;
        visitor.TraverseStmt(function.getBody());
        FactReader reader(context);
        Fact fact;
        fact.place = place_of(context.getSourceManager(), function.getLocation());
        return visitor.value == nullptr ? fact : reader.expression(*visitor.value);
    }

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

/// Keeps the errors instead of printing them.
class Errors : public clang::DiagnosticConsumer {
  public:
    explicit Errors(ReadBack& into) : into_(into) {}

    void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
        clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
        if (level < clang::DiagnosticsEngine::Error) return;
        llvm::SmallString<256> message;
        diagnostic.FormatDiagnostic(message);
        CodePlace place;
        if (diagnostic.hasSourceManager()) place = place_of(diagnostic.getSourceManager(), diagnostic.getLocation());
        into_.errors.push_back({place, message.str().str()});
    }

  private:
    ReadBack& into_;
};

/// The line of the # at `at` as a token. Blanks after the # and the directive's name, and a comment at the end, do not
/// matter; all else does, between < and > even blanks.
std::string directive_at(const std::string& text, std::size_t at) {
    const std::size_t start = text.rfind('\n', at) + 1;
    std::string_view line(text.data() + start, std::min(text.find('\n', at), text.size()) - start);
    constexpr std::string_view blanks = " \t\r";
    const auto trimmed = [&](std::string_view part) {
        part.remove_prefix(std::min(part.find_first_not_of(blanks), part.size()));
        return part.substr(0, part.find_last_not_of(blanks) + 1);
    };
    if (trimmed(line.substr(0, at - start)).empty()) line = trimmed(line.substr(at - start + 1));
    const std::size_t name = std::min(line.find_first_of(" \t<\"/"), line.size());
    std::string_view rest = trimmed(line.substr(name));
    const std::size_t comment = std::min(rest.find("//"), rest.size());
    const std::size_t block = rest.find("/*");
    if (comment < block) {
        rest = trimmed(rest.substr(0, comment));
    } else if (block < rest.size() && rest.find("*/") == rest.size() - 2) {
        rest = trimmed(rest.substr(0, block));
    }
    return fmt::format("\n#{} {}", line.substr(0, name), rest);
}

}  // namespace

ReadBack read_back(const std::vector<EmittedFile>& files, const std::vector<std::string>& include_directories) {
    ReadBack result;
    // The place of findings if the function is missing.
    result.site.place = {"mpi_bcast.cpp", 1, 1};
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (const EmittedFile& file : files) {
        memory->addFile(read_from + file.path, 0, llvm::MemoryBuffer::getMemBufferCopy(file.text, file.path));
    }
    auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    overlay->pushOverlay(memory);
    const auto manager = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), overlay);
    std::vector<std::string> command{"bcastgen",
                                     "-fsyntax-only",
                                     "-fno-caret-diagnostics",
                                     "-std=c++17",
                                     "-w",
                                     "-DOMPI_SKIP_MPICXX",
                                     "-DMPICH_SKIP_MPICXX",
                                     "-I" + read_from,
                                     "-resource-dir",
                                     BCASTGEN_CLANG_RESOURCES};
    for (const std::string& directory : include_directories) {
        command.push_back("-isystem");
        command.push_back(directory);
    }
    command.push_back(read_from + "mpi_bcast.cpp");
    clang::tooling::ToolInvocation invocation(std::move(command), std::make_unique<Action>(result), manager.get());
    Errors errors(result);
    invocation.setDiagnosticConsumer(&errors);
    if (!invocation.run() && result.errors.empty()) {
        result.errors.emplace_back();
        result.errors.back().message = "the compiler gave up";
    }
    return result;
}

CodeText tokens_of(const EmittedFile& file) {
    clang::SourceManagerForFile holder(file.path, file.text);
    clang::SourceManager& sources = holder.get();
    clang::LangOptions language;
    language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
    const clang::FileID id = sources.getMainFileID();
    clang::Lexer lexer(id, sources.getBufferOrFake(id), sources, language);
    lexer.SetCommentRetentionState(true);
    CodeText text;
    int directive_line = 0;
    for (clang::Token token; !lexer.LexFromRawLexer(token) || token.isNot(clang::tok::eof);) {
        if (token.is(clang::tok::eof)) break;
        CodePlace place = place_of(sources, token.getLocation());
        place.file = file.path;
        std::string spelling = clang::Lexer::getSpelling(token, sources, language);
        if (token.is(clang::tok::comment)) {
            text.comments.push_back({std::move(spelling), std::move(place)});
        } else if (token.is(clang::tok::hash)) {
            directive_line = place.line;
            spelling = directive_at(file.text, sources.getFileOffset(token.getLocation()));
            text.tokens.push_back({std::move(spelling), std::move(place)});
        } else if (place.line != directive_line) {
            text.tokens.push_back({std::move(spelling), std::move(place)});
        }
    }
    return text;
}

}  // namespace bcastgen
