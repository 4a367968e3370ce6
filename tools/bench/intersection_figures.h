#pragma once
// What the papers measured of intersection, to stand beside our own figures. Ao 2011: GTX 480, PARA with a threshold of
// 1 M computations, Terabyte 2006 queries on GOV (here "gov/input") and on GOVR, docIDs in random order ("gov/random");
// speedups are to their skip lists on one core of a Phenom II X4 945.
#include <cstdint>
#include <optional>
#include <string_view>

namespace frond::tools {

struct IntersectionFigure {
  std::string_view set, method;  // as IntersectionSet::name and name_of(Method)
  double queries_per_second;     // 0: not given
  double response_ms;            // a batch; 0: not given
  double speedup;
  std::string_view source;
};
std::optional<IntersectionFigure> intersection_figure(std::string_view set, std::string_view method);

// Ao 2011, Table 1: what of a list the safe search range of a regression line leaves, and how near docIDs are to it.
struct LinearityFigure {
  std::string_view set;
  std::uint32_t least, most;  // docIDs of the lists: [least, most)
  double contraction, r_squared;
};
std::optional<LinearityFigure> linearity_figure(std::string_view set, std::uint32_t length);

// Two lists of one length, uncompressed, on a GeForce 8800 GTS. Of the figure's curves the text gives no more.
struct PairFigure {
  std::string_view source, levels;
  double nanoseconds;
};
inline constexpr PairFigure kPairFigure{"Ding 2009 §7.3, Figure 6", "2 or 3", 4};

}  // namespace frond::tools
