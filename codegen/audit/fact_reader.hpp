// What clang makes of an emitted library's constants. For the files here that know clang.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

#include <string_view>

#include "codegen/audit/fact.hpp"

namespace bcastgen {

/// The library's directory while it is read; nothing on disk can be there.
inline constexpr std::string_view read_from = "/bcastgen-audit-of-an-emitted-library/";

[[nodiscard]] CodePlace place_of(const clang::SourceManager& sources, clang::SourceLocation location);

/// What a function without branches returns.
[[nodiscard]] Fact returned_by(const clang::FunctionDecl& function, clang::ASTContext& context);

}  // namespace bcastgen
