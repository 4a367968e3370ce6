#pragma once
// What the papers measured, to stand beside our own figures. Other machines and other collections: Mallia 2019 an Intel
// E5-2690 v4 and, for GPU codecs, a Tesla V100; Ding 2009 a Core 2 Duo at 2.66 GHz.
#include <optional>
#include <string_view>

namespace frond::tools {

struct PaperFigure {
  std::string_view set, codec;
  double bits;      // an integer
  double decode_g;  // thousand millions of integers a second, without adding up; 0: not given
  std::string_view source;
};

// Of a set as IntegerSet::name has it. "index docids" and "index freqs" are of Gov2, whose lists are not ours.
std::optional<PaperFigure> paper_figure(std::string_view set, std::string_view codec);

// What a GPU did, in thousand millions of integers a second; 0: not given.
struct PaperDeviceFigure {
  std::string_view set, codec;
  double decode_g;       // sums included
  double decode_gaps_g;  // without
  std::string_view source;
};
std::optional<PaperDeviceFigure> paper_device_figure(std::string_view set, std::string_view codec);

}  // namespace frond::tools
