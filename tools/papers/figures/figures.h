#pragma once
// What the papers measured: figures.json, compiled in. It has a member for each table of the papers, and below it
//   codecs, device_codecs    set, codec: bits an integer, ratio to 32 bits, thousand millions of integers a second
//                            (decode_gaps_g: without adding up; in codecs decode_g is that). Mallia 2019: Tesla V100
//                            for GPU codecs. "index docids" and "index freqs" are GOV2's
//   intersections            set, method: queries a second, milliseconds of a batch, speedup over skip lists (Ao 2011)
//   linearity                set, length of the shortest list: Ao 2011, Table 1
//   ding_…, mallia_…, wei_…  by name, or rows of cells as the page has them. Wei's megabyte is a 1,024th of a gigabyte
#include <initializer_list>
#include <string_view>
#include <vector>

#include "tools/papers/experiment.h"

namespace frond::tools::papers {

// The figure at a path of members: {"codecs", "uniform/2^16", "bp32", "bits"}; times `factor`. Empty if there is none.
Cell theirs(std::initializer_list<std::string_view> path, double factor = 1);

// All rows of a table that has rows. None: there is no such table.
std::vector<std::vector<Cell>> their_rows(std::string_view table);

}  // namespace frond::tools::papers
