#pragma once
// The texts of consecutive documents, one after the other, for those that analyze them later.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/cut_form.h"
#include "indexer/parse/large_pages.h"

namespace frond::indexer::parse {

// Document i is bytes [ends[i - 1], ends[i]): title, a line feed, body, a line feed. A line feed ends every word, so
// title and body need not be kept apart.
struct DocumentTexts {
  std::basic_string<char, std::char_traits<char>, LargePageAllocator<char>> bytes;
  std::vector<std::uint64_t> ends;
  std::string_view of(std::size_t document) const {
    const std::uint64_t begin = document == 0 ? 0 : ends[document - 1];
    return std::string_view(bytes).substr(begin, ends[document] - begin);
  }
  // form: of standard3, whose texts are kept in it.
  void add(std::string_view title, std::string_view body, text::CutForm* form = nullptr) {
    for (const std::string_view text : {title, body}) {
      if (form != nullptr)
        form->in_pieces(text, [&](std::string_view piece, std::size_t from) { bytes.append(piece.substr(from)); });
      else
        bytes.append(text);
      bytes.push_back('\n');
    }
    ends.push_back(bytes.size());
  }
  void clear() {
    bytes.clear();
    ends.clear();
  }
  std::uint64_t memory_bytes() const { return in_large_pages(bytes.capacity() + 1) + ends.capacity() * sizeof ends[0]; }
};

}  // namespace frond::indexer::parse
