#include "common/text/word_sequence.h"

namespace frond::text {

// Of what overlaps, the spans that contain no other one, but a main span in place of its only part. Single characters
// beside pairs are left out, and symbols that people may leave out.
const std::vector<WordSequence::Span>& WordSequence::chosen(std::string_view text) {
  const auto is_gram = [&](const Span& span) {
    const Gram gram = next_gram(text, span.where.begin, span.where.end);
    return gram.begin == span.where.begin && gram.end > gram.begin;
  };
  std::erase_if(spans_,
                [&](const Span& span) { return !span.main && (is_gram(span) || is_left_out(text, span.where)); });
  std::stable_sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
    return a.where.begin != b.where.begin ? a.where.begin < b.where.begin : a.where.end > b.where.end;
  });
  grams_.clear();
  for (const Span& span : spans_) grams_.push_back(is_gram(span));
  chosen_.clear();
  const auto is_inside = [this](std::size_t i, std::size_t j) {
    return i != j && spans_[i].where.begin >= spans_[j].where.begin && spans_[i].where.end <= spans_[j].where.end &&
           spans_[i].where != spans_[j].where;
  };
  // Spans of one place follow each other: what begins behind the end of a span is not in it.
  const auto parts_of = [&](std::size_t i) {
    std::size_t parts = 0;
    for (std::size_t j = i + 1; j < spans_.size() && spans_[j].where.begin < spans_[i].where.end; ++j) {
      if (!is_inside(j, i)) continue;
      bool least = true;
      for (std::size_t k = j + 1; least && k < spans_.size() && spans_[k].where.begin < spans_[j].where.end; ++k)
        least = !is_inside(k, j);
      parts += least && (j + 1 == spans_.size() || spans_[j + 1].where != spans_[j].where);
    }
    return parts;
  };
  std::size_t covered = 0;  // by a main span in place of its only part
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    if (i + 1 < spans_.size() && spans_[i + 1].where == span.where) continue;
    if (!grams_[i] && span.where.end <= covered) continue;
    const std::size_t parts = grams_[i] ? 0 : parts_of(i);
    if (parts > 1 || (parts == 1 && !span.main)) continue;
    chosen_.push_back(span);
    if (parts == 1) covered = span.where.end;
  }
  return chosen_;
}

}  // namespace frond::text
