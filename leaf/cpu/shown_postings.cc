#include "leaf/cpu/shown_postings.h"

#include <algorithm>
#include <bit>

namespace frond::leaf::cpu {

ShownPostings::ShownPostings(const engine::Plan& plan) {
  // Below one hidden document in four, what is not scored does not pay for the look at each.
  if (plan.hidden == nullptr || plan.hidden->count() < plan.lengths.size() / 4) return;
  const auto& words = *plan.hidden->words();
  if (words.size() * 64 >= plan.lengths.size()) hidden_ = words;
}

std::size_t ShownPostings::find(const TermReader& reader, std::uint32_t from, std::uint32_t to) {
  from_ = from;
  to_ = to;
  if (hidden_.empty()) return to - from;
  return find_shown(reader.docids(), from, to, hidden_, found_.data());
}

ShownPostings::Postings ShownPostings::scored(TermReader& reader) {
  if (hidden_.empty()) {
    const Score* const scores = reader.scores();
    const std::uint32_t to = std::min(to_, reader.size());  // size() is 0 if the frequencies did not decode
    return {reader.docids() + from_, scores + from_, to < from_ ? 0 : to - from_};
  }
  if ((found_[0] | found_[1]) == 0) return {docids_.data(), numbers_.data(), 0};
  const Frequency* const frequencies = reader.frequencies();
  if (reader.size() == 0) return {docids_.data(), numbers_.data(), 0};
  std::uint32_t count = 0;
  for (std::uint32_t half = 0; half < found_.size(); ++half)
    for (std::uint64_t bits = found_[half]; bits != 0; bits &= bits - 1) {
      const std::uint32_t position = half * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      docids_[count] = reader.docids()[position];
      numbers_[count++] = frequencies[position];
    }
  // Whole vectors are scored.
  const std::uint32_t end = (count + kVectorSlack - 1) / kVectorSlack * kVectorSlack;
  std::fill(docids_.begin() + count, docids_.begin() + end, docids_[0]);
  std::fill(numbers_.begin() + count, numbers_.begin() + end, 1);
  reader.score(docids_.data(), end, numbers_.data());
  return {docids_.data(), numbers_.data(), count};
}

std::uint64_t ShownPostings::count(TermReader& reader) {
  if (hidden_.empty()) return reader.list().count();
  std::uint64_t count = 0;
  for (std::uint32_t block = 0; block < reader.blocks(); ++block) {
    const DocId first = reader.first_possible(block), last = reader.list().last_docid(block);
    // Of damaged lists last docIDs may be any numbers: then the block does not decode.
    if (first <= last && last / 64 < hidden_.size() && !any(first, last)) continue;
    reader.enter(block);
    if (reader.corrupt()) return count;
    count += find(reader, 0, reader.size());
  }
  return count;
}

}  // namespace frond::leaf::cpu
