// A check for clang-tidy that finds nothing: it has the other checks look at the project's declarations alone. Left to
// itself, clang-tidy 14 looks at all declarations of all headers and throws away what it finds in other people's; that
// is more than half of its time.
#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/AST/ASTContext.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>

#include <vector>

namespace {

namespace matchers = clang::ast_matchers;
namespace tidy = clang::tidy;

/// The translation unit is the first thing that is matched; what lies in it is visited afterwards.
class OwnDeclarations : public tidy::ClangTidyCheck {
  public:
    using ClangTidyCheck::ClangTidyCheck;

    void registerMatchers(matchers::MatchFinder* finder) override {
        finder->addMatcher(matchers::translationUnitDecl().bind("unit"), this);
    }

    void check(const matchers::MatchFinder::MatchResult& result) override {
        std::vector<clang::Decl*> own;
        for (clang::Decl* declaration : result.Context->getTranslationUnitDecl()->decls()) {
            if (!result.SourceManager->isInSystemHeader(declaration->getLocation())) own.push_back(declaration);
        }
        result.Context->setTraversalScope(own);
    }
};

class Module : public tidy::ClangTidyModule {
  public:
    void addCheckFactories(tidy::ClangTidyCheckFactories& factories) override {
        factories.registerCheck<OwnDeclarations>("bcastgen-own-declarations");
    }
};

const tidy::ClangTidyModuleRegistry::Add<Module> added("bcastgen-module", "Where clang-tidy is to look.");

}  // namespace
