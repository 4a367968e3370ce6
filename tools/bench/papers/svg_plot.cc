#include "tools/bench/papers/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace frond::tools::bench::papers {
namespace {

// Pixels.
constexpr double kWidth = 760, kHeight = 400, kLeft = 76, kRight = 20, kTop = 48, kBottom = 62;
constexpr double kLegendRow = 20, kLegendSwatch = 18, kLetter = 6.7;  // kLetter: about the width of one, at 12 px
constexpr std::size_t kColours = 8;

// Colours of Okabe and Ito (2008), which people with impaired colour vision can tell apart; lighter ones for dark.
constexpr std::string_view kSvgStyle = R"(<style>
  text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #222 }
  .title { font-size: 14px; font-weight: 600 }
  .back { fill: #fff } .grid { stroke: #ddd } .axis { stroke: #888 }
  .line { fill: none; stroke-width: 2 } .paper { stroke-dasharray: 6 4 }
  .c0 { --c: #0072b2 } .c1 { --c: #d55e00 } .c2 { --c: #009e73 } .c3 { --c: #aa4499 }
  .c4 { --c: #b8860b } .c5 { --c: #56b4e9 } .c6 { --c: #882255 } .c7 { --c: #666 }
  .line { stroke: var(--c) } .mark, .bar { fill: var(--c) } .bar.paper { fill-opacity: .35; stroke: var(--c) }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .back { fill: #16181c } .grid { stroke: #34373d } .axis { stroke: #888 }
    .c0 { --c: #4da3e0 } .c1 { --c: #f08a4b } .c2 { --c: #35c79a } .c3 { --c: #d58ac4 }
    .c4 { --c: #e0b84a } .c5 { --c: #9ad4f5 } .c6 { --c: #e07a9f } .c7 { --c: #aaa }
  }
</style>
)";

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

// Values to pixels.
class Axis {
 public:
  // tight: the axis ends with the values, otherwise with ticks, and has 0 where it is not logarithmic.
  Axis(Range range, bool log, bool tight, double begin, double end)
      : log_(log), tight_(tight), begin_(begin), end_(end) {
    if (range.empty()) range = log ? Range{1, 10} : Range{0, 1};
    if (log)
      log_ticks(range);
    else
      linear_ticks(range);
    if (!tight) return;
    // Room for markers.
    const double room = std::max(0.02 * (placed(range.high) - placed(range.low)), log ? 0.01 : 1e-3);
    low_ = unplaced(placed(range.low) - room);
    high_ = unplaced(placed(range.high) + room);
    std::erase_if(ticks_, [this](double tick) { return tick < low_ || tick > high_; });
  }
  double at(double value) const {
    return begin_ + (end_ - begin_) * (placed(value) - placed(low_)) / (placed(high_) - placed(low_));
  }
  double low() const { return low_; }
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  double placed(double value) const { return log_ ? std::log10(value) : value; }
  double unplaced(double value) const { return log_ ? std::pow(10, value) : value; }

  void log_ticks(const Range& range) {
    const double decades = std::log10(range.high / range.low);
    // Ticks at 1, 2, 5 where there are few powers of ten.
    const std::vector<double> steps = decades < 1.5 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
    std::vector<double> all;
    for (double power = std::pow(10, std::floor(std::log10(range.low))); power <= range.high * 10; power *= 10)
      for (const double step : steps) all.push_back(step * power);
    const auto first = std::upper_bound(all.begin(), all.end(), range.low * (1 + 1e-9)) - 1;
    auto last = std::lower_bound(all.begin(), all.end(), range.high * (1 - 1e-9));
    if (last == first) ++last;
    ticks_.assign(first, last + 1);
    low_ = ticks_.front();
    high_ = ticks_.back();
  }

  void linear_ticks(const Range& range) {
    low_ = tight_ ? range.low : std::min(0.0, range.low);
    const double span = std::max(range.high - low_, 1e-9);
    const double power = std::pow(10, std::floor(std::log10(span / 5)));
    double step = power;
    for (const double factor : {2.0, 5.0, 10.0})
      if (span / step > 6) step = factor * power;
    // Of counts there are no halves.
    if (tight_ && range.low == std::floor(range.low) && range.high == std::floor(range.high))
      step = std::max(step, 1.0);
    low_ = std::floor(low_ / step) * step;
    for (int i = 0;; ++i) {
      ticks_.push_back(low_ + i * step);
      if (ticks_.back() >= range.high - step * 1e-9 && i > 0) break;
    }
    high_ = ticks_.back();
  }

  const bool log_, tight_;
  const double begin_, end_;
  double low_ = 0, high_ = 1;
  std::vector<double> ticks_;
};

bool is_shown(double value, bool log) { return std::isfinite(value) && (!log || value > 0); }

class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot),
        legend_(legend_rows()),
        height_(kHeight + legend_ * kLegendRow),
        bottom_(kHeight - kBottom),
        x_(range_of(true), plot.log_x, true, kLeft, kWidth - kRight),
        y_(range_of(false), plot.log_y, false, bottom_, kTop) {}

  std::string draw() {
    out_ =
        fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" width="{}" height="{}" role="img">)",
                    kWidth, height_, kWidth, height_);
    out_ += fmt::format("\n<title>{}</title>\n{}", escaped(plot_.title), kSvgStyle);
    out_ += fmt::format("<rect class=\"back\" width=\"{}\" height=\"{}\"/>\n", kWidth, height_);
    text(kLeft, 24, plot_.title, "title", "start");
    y_axis();
    if (plot_.categories.empty())
      lines();
    else
      bars();
    legend();
    return out_ + "</svg>\n";
  }

 private:
  Range range_of(bool of_x) const {
    Range range;
    for (const Series& series : plot_.series)
      for (const auto& [x, y] : series.points)
        if (is_shown(x, plot_.log_x) && is_shown(y, plot_.log_y)) range.add(of_x ? x : y);
    return range;
  }

  void text(double x, double y, std::string_view words, std::string_view style, std::string_view anchor) {
    out_ += fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                        style.empty() ? "" : fmt::format(" class=\"{}\"", style), x, y, anchor, escaped(words));
  }
  void line(std::string_view style, double x1, double y1, double x2, double y2) {
    out_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1, y1,
                        x2, y2);
  }

  void y_axis() {
    for (const double tick : y_.ticks()) {
      line("grid", kLeft, y_.at(tick), kWidth - kRight, y_.at(tick));
      text(kLeft - 8, y_.at(tick) + 4, tick_label(tick), "", "end");
    }
    out_ += fmt::format("<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                        (kTop + bottom_) / 2, escaped(plot_.y_title));
    line("axis", kLeft, bottom_, kWidth - kRight, bottom_);
  }

  void lines() {
    for (const double tick : x_.ticks()) {
      line("grid", x_.at(tick), kTop, x_.at(tick), bottom_);
      text(x_.at(tick), bottom_ + 18, tick_label(tick), "", "middle");
    }
    text((kLeft + kWidth - kRight) / 2, bottom_ + 40, plot_.x_title, "", "middle");
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      const Series& series = plot_.series[s];
      std::string path, marks;
      for (const auto& [x, y] : series.points) {
        if (!is_shown(x, plot_.log_x) || !is_shown(y, plot_.log_y)) continue;
        path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x_.at(x), y_.at(y));
        marks += fmt::format("<circle class=\"mark c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.2\"/>\n", s % kColours,
                             x_.at(x), y_.at(y));
      }
      if (path.empty()) continue;
      out_ += fmt::format("<polyline class=\"line c{}{}\" points=\"{}\"/>\n{}", s % kColours,
                          series.paper ? " paper" : "", path, marks);
    }
  }

  void bars() {
    const double room = (kWidth - kLeft - kRight) / static_cast<double>(plot_.categories.size());
    const double width =
        std::min(60.0, room * 0.8 / static_cast<double>(std::max<std::size_t>(1, plot_.series.size())));
    for (std::size_t c = 0; c < plot_.categories.size(); ++c) {
      const double middle = kLeft + room * (static_cast<double>(c) + 0.5);
      text(middle, bottom_ + 18, plot_.categories[c], "", "middle");
      for (std::size_t s = 0; s < plot_.series.size(); ++s)
        for (const auto& [x, y] : plot_.series[s].points) {
          if (static_cast<std::size_t>(x) != c || !is_shown(y, plot_.log_y)) continue;
          const double left = middle + (static_cast<double>(s) - static_cast<double>(plot_.series.size()) / 2) * width;
          out_ += fmt::format(
              "<rect class=\"bar c{}{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
              s % kColours, plot_.series[s].paper ? " paper" : "", left, y_.at(y), width - 1, bottom_ - y_.at(y));
        }
    }
    text((kLeft + kWidth - kRight) / 2, bottom_ + 40, plot_.x_title, "", "middle");
  }

  static double legend_width(const Series& series) {
    return kLegendSwatch + 24 + kLetter * static_cast<double>(series.name.size());
  }
  // Entries are laid out in rows.
  double legend_rows() const {
    double rows = plot_.series.empty() ? 0 : 1, x = 0;
    for (const Series& series : plot_.series) {
      if (x > 0 && x + legend_width(series) > kWidth - kLeft - kRight) {
        ++rows;
        x = 0;
      }
      x += legend_width(series);
    }
    return rows;
  }
  void legend() {
    double x = 0, y = kHeight - 4;
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      const Series& series = plot_.series[s];
      if (x > 0 && x + legend_width(series) > kWidth - kLeft - kRight) {
        x = 0;
        y += kLegendRow;
      }
      const std::string style = fmt::format("c{}{}", s % kColours, series.paper ? " paper" : "");
      if (plot_.categories.empty()) {
        line("line " + style, kLeft + x, y - 4, kLeft + x + kLegendSwatch, y - 4);
      } else {
        out_ += fmt::format("<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\"/>\n", style,
                            kLeft + x + 3, y - 10);
      }
      text(kLeft + x + kLegendSwatch + 6, y, series.name, "", "start");
      x += legend_width(series);
    }
  }

  const Plot& plot_;
  const double legend_, height_, bottom_;
  const Axis x_, y_;
  std::string out_;
};

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string tick_label(double value) {
  constexpr std::array<std::pair<double, const char*>, 3> kUnits = {{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
  for (const auto& [unit, name] : kUnits)
    if (std::abs(value) >= unit * (1 - 1e-9)) return fmt::format("{:.4g}{}", value / unit, name);
  return fmt::format("{:.4g}", std::abs(value) < 1e-12 ? 0 : value);
}

std::string svg_of(const Plot& plot) { return Drawing(plot).draw(); }

}  // namespace frond::tools::bench::papers
