#pragma once
// A plot as an SVG file: lines with markers, or bars; axes that may be logarithmic; a legend. No script, no fonts of
// its own. Colours follow the reader's preference for light or dark. The same plot gives the same bytes.
#include <string>

#include "tools/bench/papers/exhibit.h"

namespace frond::tools::bench::papers {

std::string svg_of(const Plot& plot);

// "0.5", "20", "1.5 k", "2 M": a tick's label.
std::string tick_label(double value);

// For text between tags and in attributes.
std::string escaped(std::string_view text);

}  // namespace frond::tools::bench::papers
