// SQLite's C interface, with errors thrown and nothing to close by hand.
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/outside_failure.hpp"

namespace bcastgen {

[[noreturn]] inline void throw_database_error(sqlite3* database) {
    const char* file = sqlite3_db_filename(database, "main");
    throw OutsideFailure(std::string(file != nullptr ? file : "the store") + ": " + sqlite3_errmsg(database));
}

/// One SQL statement. Values are bound in the sequence of its question marks.
class Statement {
  public:
    Statement(sqlite3* database, std::string_view sql) : database_(database) {
        const int size = static_cast<int>(sql.size());
        if (sqlite3_prepare_v2(database, sql.data(), size, &statement_, nullptr) != SQLITE_OK) {
            throw_database_error(database);
        }
    }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_finalize(statement_); }

    template <class... Values>
    Statement& bind(const Values&... values) {
        (bind_one(values), ...);
        return *this;
    }

    /// True if there is a row to read.
    bool step() {
        const int code = sqlite3_step(statement_);
        if (code != SQLITE_ROW && code != SQLITE_DONE) throw_database_error(database_);
        column_ = 0;
        return code == SQLITE_ROW;
    }

    /// Reads the row's columns from left to right.
    template <class... Values>
    void read(Values&... values) {
        (read_one(values), ...);
    }

  private:
    void bind_one(const std::string& text) {
        sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
    void bind_one(double number) { sqlite3_bind_double(statement_, ++bound_, number); }
    void bind_one(std::integral auto number) {
        sqlite3_bind_int64(statement_, ++bound_, static_cast<std::int64_t>(number));
    }
    template <class Value>
    void bind_one(const std::optional<Value>& value) {
        if (value) {
            bind_one(*value);
        } else {
            sqlite3_bind_null(statement_, ++bound_);
        }
    }

    void read_one(std::string& text) {
        const auto* bytes = sqlite3_column_text(statement_, column_);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column_));
        text = bytes == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(bytes), size);
        ++column_;
    }
    void read_one(double& number) { number = sqlite3_column_double(statement_, column_++); }
    template <std::integral Number>
    void read_one(Number& number) {
        number = static_cast<Number>(sqlite3_column_int64(statement_, column_++));
    }
    template <class Value>
    void read_one(std::optional<Value>& value) {
        if (sqlite3_column_type(statement_, column_) == SQLITE_NULL) {
            value.reset();
            ++column_;
            return;
        }
        value.emplace();
        read_one(*value);
    }

    sqlite3* database_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
    int column_ = 0;
};

}  // namespace bcastgen
