#pragma once
// Tables of figures, as values: what `frond bench codec` and frond-papers print, and write as JSON.
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace frond::tools::bench {

// Text, a number, or empty: there is no figure.
class Cell {
 public:
  Cell() = default;
  Cell(std::string text) : kind_(Kind::kText), text_(std::move(text)) {}
  Cell(const char* text) : kind_(Kind::kText), text_(text) {}
  template <class Number>
  requires std::is_arithmetic_v<Number> Cell(Number number)
      : kind_(Kind::kNumber), number_(static_cast<double>(number)) {}
  // A figure where 0 stands for none.
  static Cell known(double figure) { return figure > 0 ? Cell(figure) : Cell(); }

  // Null if it is something else.
  const std::string* text() const { return kind_ == Kind::kText ? &text_ : nullptr; }
  const double* number() const { return kind_ == Kind::kNumber ? &number_ : nullptr; }

 private:
  enum class Kind : std::uint8_t { kEmpty, kText, kNumber };
  Kind kind_ = Kind::kEmpty;
  std::string text_;
  double number_ = 0;
};

struct Column {
  std::string title;
  int digits = 0;      // of its numbers, behind the point
  bool paper = false;  // a paper's figures, not ours
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // as many cells as columns
};

// Markdown with columns of even width, so that it can be read as it is. Ends with a newline.
std::string text_of(const Table& table);
nlohmann::ordered_json as_json(const Table& table);

// "12,345.68": digits in groups of three, so that long numbers can be read.
std::string grouped(double number, int digits = 0);

}  // namespace frond::tools::bench
