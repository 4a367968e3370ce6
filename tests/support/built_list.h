#pragma once
// A random posting list, as numbers and as blobs, for tests of code that reads lists.
#include <algorithm>
#include <random>
#include <vector>

#include "common/postings/list_builder.h"
#include "common/postings/posting_list.h"
#include "tests/support/posting_lists.h"

namespace frond::support {

struct BuiltList {
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  std::vector<std::uint32_t> lengths;  // of every document
  double average_length = 1;
  std::vector<SlackBytes> segments;

  std::vector<ByteView> views() const {
    std::vector<ByteView> all;
    for (const SlackBytes& segment : segments) all.push_back(segment.view());
    return all;
  }
  postings::PostingList open() const { return *postings::PostingList::open(views()); }
};

// `count` postings with gaps of up to gap_width bits, frequencies of up to frequency_width; lengths 0 .. 1000.
inline BuiltList build_list(std::uint32_t seed, std::uint32_t count, unsigned gap_width, unsigned frequency_width,
                            std::string_view codec = codec::kDefaultCodec, double b = 0.4) {
  std::mt19937 random(seed);
  BuiltList list;
  list.docids = random_docids(random, count, gap_width);
  list.frequencies = random_frequencies(random, list.docids.size(), frequency_width);
  list.lengths.resize(std::size_t{list.docids.back()} + 1);
  double tokens = 0;
  for (std::uint32_t& length : list.lengths) tokens += length = random_below(random, 1001);
  list.average_length = std::max(tokens / static_cast<double>(list.lengths.size()), 1.0);
  const postings::ListBuilder builder(*codec::codec_choice_named(codec), list.lengths, b, list.average_length);
  for (const ByteBuffer& blob : builder.build(list.docids, list.frequencies)) list.segments.emplace_back(blob);
  return list;
}

}  // namespace frond::support
