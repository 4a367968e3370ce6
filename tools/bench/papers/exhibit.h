#pragma once
// What an experiment has found, as values: tables and plots. The page (page.h) and the JSON (report_json.h) show them.
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace frond::tools::bench::papers {

// Text, a number, or empty: there is no figure.
class Cell {
 public:
  Cell() = default;
  Cell(std::string text) : kind_(Kind::kText), text_(std::move(text)) {}
  Cell(const char* text) : kind_(Kind::kText), text_(text) {}
  template <class Number>
  requires std::is_arithmetic_v<Number> Cell(Number number)
      : kind_(Kind::kNumber), number_(static_cast<double>(number)) {}
  // A figure of a paper, where 0 stands for none.
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
  bool paper = false;  // the paper's figures, not ours
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // as many cells as columns
};

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points = {};  // x, y; of bars: number of the category, y
  bool paper = false;
};

// Lines, or bars if there are categories. Points outside the positive numbers are left out where an axis is
// logarithmic.
struct Plot {
  std::string title, x_title, y_title;
  bool log_x = false, log_y = false;
  std::vector<std::string> categories = {};
  std::vector<Series> series = {};
};

struct Exhibit {
  std::vector<Table> tables = {};
  std::vector<Plot> plots = {};
  std::vector<std::string> notes = {};  // what to know of these figures; sentences
};

// "12,345.68": digits in groups of three, so that long numbers can be read.
std::string grouped(double number, int digits = 0);

}  // namespace frond::tools::bench::papers
