#include "common/partition/values/keyword_numbers.h"

#include <algorithm>

namespace frond::partition {
namespace {

// The next word of a chunk's dictionary.
struct Next {
  std::uint64_t begin = 0;  // its first bytes, so that most comparisons are of numbers
  std::string_view word;
  std::uint32_t chunk = 0, code = 0;
};

Next next_of(const ValueColumn& column, std::uint32_t chunk, std::uint32_t code) {
  Next next{0, column.chunk(chunk).word(code), chunk, code};
  for (std::size_t i = 0; i < 8; ++i)
    next.begin = next.begin << 8 | (i < next.word.size() ? static_cast<unsigned char>(next.word[i]) : 0);
  return next;
}

bool is_behind(const Next& a, const Next& b) { return a.begin != b.begin ? a.begin > b.begin : a.word > b.word; }

}  // namespace

std::size_t KeywordNumbers::most_bytes(const ValueColumn& column) {
  std::size_t words = 0;
  for (std::uint32_t i = 0; i < column.chunks(); ++i) words += column.chunk(i).words;
  return words * (2 * sizeof(std::uint32_t) + sizeof(Place)) + (column.chunks() + 1) * sizeof(std::size_t);
}

std::shared_ptr<const KeywordNumbers> KeywordNumbers::of(const ValueColumn& column, const std::function<bool()>& stop) {
  auto made = std::make_shared<KeywordNumbers>();
  std::vector<Next> heap;
  made->begins_.push_back(0);
  for (std::uint32_t i = 0; i < column.chunks(); ++i) {
    made->begins_.push_back(made->begins_.back() + column.chunk(i).words);
    if (column.chunk(i).words != 0) heap.push_back(next_of(column, i, 0));
  }
  made->numbers_.resize(made->begins_.back());
  std::make_heap(heap.begin(), heap.end(), is_behind);
  std::string_view last;
  constexpr std::uint32_t kWordsBetweenGlances = 4096;
  for (std::uint32_t looked_at = 0; !heap.empty(); ++looked_at) {
    if (looked_at % kWordsBetweenGlances == 0 && stop()) return nullptr;
    std::pop_heap(heap.begin(), heap.end(), is_behind);
    Next& next = heap.back();
    if (made->words_.empty() || next.word != last) {
      made->words_.push_back({next.chunk, next.code});
      last = next.word;
    }
    made->numbers_[made->begins_[next.chunk] + next.code] = made->size() - 1;
    if (++next.code == column.chunk(next.chunk).words) {
      heap.pop_back();
      continue;
    }
    next = next_of(column, next.chunk, next.code);
    std::push_heap(heap.begin(), heap.end(), is_behind);
  }
  made->words_.shrink_to_fit();
  if (!made->count_documents(column, stop)) return nullptr;
  return made;
}

// False: it was stopped.
bool KeywordNumbers::count_documents(const ValueColumn& column, const std::function<bool()>& stop) {
  documents_.resize(words_.size());
  for (std::uint32_t i = 0; i < column.chunks(); ++i) {
    const ValueColumn::Chunk& chunk = column.chunk(i);
    if (chunk.values == 0) continue;
    if (stop()) return false;
    const std::span<const std::uint32_t> numbers = of_chunk(i);
    for (std::uint32_t document = 0; document < chunk.documents; ++document) {
      if (!chunk.has(document)) continue;
      ++documents_with_any_;
      for (auto [place, end] = chunk.places(document); place < end; ++place) ++documents_[numbers[chunk.code(place)]];
    }
  }
  return true;
}

std::size_t KeywordNumbers::bytes() const {
  return sizeof *this + numbers_.capacity() * sizeof numbers_[0] + begins_.capacity() * sizeof begins_[0] +
         words_.capacity() * sizeof words_[0] + documents_.capacity() * sizeof documents_[0];
}

}  // namespace frond::partition
