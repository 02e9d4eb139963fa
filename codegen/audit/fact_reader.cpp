#include "codegen/audit/fact_reader.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <string>
#include <utility>

namespace bcastgen {

namespace {

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

}  // namespace

CodePlace place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
    const clang::PresumedLoc shown = sources.getPresumedLoc(sources.getExpansionLoc(location));
    if (shown.isInvalid()) return {};
    std::string file = shown.getFilename();
    if (file.starts_with(read_from)) file.erase(0, read_from.size());
    return {file, static_cast<int>(shown.getLine()), static_cast<int>(shown.getColumn())};
}

Fact returned_by(const clang::FunctionDecl& function, clang::ASTContext& context) {
    Returned visitor;
    visitor.TraverseStmt(function.getBody());
    FactReader reader(context);
    Fact fact;
    fact.place = place_of(context.getSourceManager(), function.getLocation());
    return visitor.value == nullptr ? fact : reader.expression(*visitor.value);
}

}  // namespace bcastgen
