#pragma once
// The papers' figures for intersection, printed beside ours. Ao 2011: GTX 480, PARA with a threshold of 1 M
// computations, Terabyte 2006 queries on GOV (here "gov/input") and on GOVR, whose docIDs are in random order
// ("gov/random"). Their speedups are over their skip lists on one core of a Phenom II X4 945.
#include <cstdint>
#include <optional>
#include <string_view>

namespace frond::tools::bench {

struct IntersectionFigure {
  std::string_view set, method;  // as IntersectionSet::name and name_of(Method)
  double queries_per_second;     // 0: not given
  double response_ms;            // of a batch; 0: not given
  double speedup;
  std::string_view source;
};
// What the paper has and no method of ours is: our encoder chooses the share of exceptions.
inline constexpr std::string_view kParaPfdWithoutExceptions = "parapfor, no exceptions";
std::optional<IntersectionFigure> intersection_figure(std::string_view set, std::string_view method);

// Ao 2011, Table 1: the share of a list in the safe search range of its regression line, and how well the line fits.
struct LinearityFigure {
  std::string_view set;
  std::uint32_t begin, end;  // docIDs of the lists: [begin, end)
  double contraction, r_squared;
};
std::optional<LinearityFigure> linearity_figure(std::string_view set, std::uint32_t length);

// Two uncompressed lists of equal length on a GeForce 8800 GTS. The text gives no other number of the figure.
struct PairFigure {
  std::string_view source, levels;
  double nanoseconds;
};
inline constexpr PairFigure kPairFigure{"Ding 2009 §7.3, Figure 6", "2 or 3", 4};

}  // namespace frond::tools::bench
