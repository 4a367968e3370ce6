#pragma once
// The papers' figures for codecs, printed beside ours. Their machines and collections differ: Mallia 2019 has an Intel
// E5-2690 v4 and, for GPU codecs, a Tesla V100; Ding 2009 a Core 2 Duo at 2.66 GHz.
#include <optional>
#include <string_view>

namespace frond::tools::bench {

struct PaperFigure {
  std::string_view set, codec;
  double bits;      // per integer
  double decode_g;  // thousand millions of integers per second, without adding up; 0: not given
  std::string_view source;
};

// `set`: as IntegerSet::name. For "index docids" and "index freqs" the papers' figures are of Gov2; "clueweb09 docids",
// "gov/random docids" and so on name a collection, and an order of its documents.
std::optional<PaperFigure> paper_figure(std::string_view set, std::string_view codec);

// Figures of a GPU, in thousand millions of integers per second; 0: not given.
struct PaperDeviceFigure {
  std::string_view set, codec;
  double decode_g;       // with sums
  double decode_gaps_g;  // without sums
  std::string_view source;
};
std::optional<PaperDeviceFigure> paper_device_figure(std::string_view set, std::string_view codec);

}  // namespace frond::tools::bench
