#include "leaf/clauses/phrase_places.h"

#include <algorithm>
#include <cstring>

#include "common/base/bytes.h"

namespace frond::leaf::clauses {
namespace {

using Field = partition::TokenCodes::Field;

constexpr std::size_t kPairs = 128;  // fewer than a byte can count

template <class Code>
Code code_at(const std::byte* codes, std::size_t place) {
  return load_le<Code>(codes + place * sizeof(Code));
}

// The first place in [from, to) with the code; `to`: none.
template <class Code>
std::size_t find_code(const std::byte* codes, std::size_t from, std::size_t to, Code code) {
  if constexpr (sizeof(Code) == 1) {
    const void* const found = std::memchr(codes + from, static_cast<int>(code), to - from);
    return found == nullptr ? to : static_cast<std::size_t>(static_cast<const std::byte*>(found) - codes);
  } else {
    constexpr std::size_t kStretch = 32;  // compared without branches, so that compilers use vectors
    for (; from + kStretch <= to; from += kStretch) {
      Code any = 0;
      for (std::size_t i = 0; i < kStretch; ++i) any |= static_cast<Code>(code_at<Code>(codes, from + i) == code);
      if (any != 0) break;
    }
    while (from < to && code_at<Code>(codes, from) != code) ++from;
    return from;
  }
}

bool has_code(const std::vector<std::uint32_t>& codes, std::uint32_t code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

}  // namespace

PhrasePlaces::PhrasePlaces(std::span<const std::uint32_t> numbers, std::uint32_t slop) : slop_(slop) {
  for (const std::uint32_t number : numbers) words_.push_back({number, {}});
  places_.resize(words_.size());
}

std::uint32_t PhrasePlaces::count(const Field& field, std::uint32_t width) {
  if (width == 1) return slop_ == 0 ? count_exact<std::uint8_t>(field) : count_sloppy<std::uint8_t>(field);
  if (width == 2) return slop_ == 0 ? count_exact<std::uint16_t>(field) : count_sloppy<std::uint16_t>(field);
  return slop_ == 0 ? count_exact<std::uint32_t>(field) : count_sloppy<std::uint32_t>(field);
}

template <class Code>
std::uint32_t PhrasePlaces::count_exact(const Field& field) {
  const std::uint32_t last = words_.back().number;
  if (field.words <= last) return 0;
  const std::size_t end = field.words - last;  // no phrase begins there
  const auto first = static_cast<Code>(words_[0].codes.front());
  std::uint32_t found = 0;
  // From the word `word` on.
  const auto has_others = [&](std::size_t at, std::size_t word) {
    for (; word < words_.size(); ++word)
      if (!has_code(words_[word].codes, code_at<Code>(field.codes, at + words_[word].number))) return false;
    return true;
  };
  if (words_[1].codes.size() > 1) {
    for (std::size_t at = find_code(field.codes, 0, end, first); at < end;
         at = find_code(field.codes, at + 1, end, first))
      found += has_others(at, 1) ? 1 : 0;
    return found;
  }
  // Pairs of the first two words are counted a stretch at a time, without branches.
  const auto second = static_cast<Code>(words_[1].codes.front());
  const std::byte* const seconds = field.codes + words_[1].number * sizeof(Code);
  const auto is_pair = [&](std::size_t at) {
    return static_cast<Code>(static_cast<int>(code_at<Code>(field.codes, at) == first) &
                             static_cast<int>(code_at<Code>(seconds, at) == second));
  };
  for (std::size_t begin = 0; begin < end; begin += kPairs) {
    const std::size_t stop = std::min(begin + kPairs, end);
    Code pairs = 0;  // at most kPairs
    for (std::size_t at = begin; at < stop; ++at) pairs = static_cast<Code>(pairs + is_pair(at));
    if (words_.size() == 2) found += pairs;
    for (std::size_t at = begin; words_.size() > 2 && pairs != 0 && at < stop; ++at)
      if (is_pair(at) != 0) found += has_others(at, 2) ? 1 : 0;
  }
  return found;
}

template <class Code>
std::uint32_t PhrasePlaces::count_sloppy(const Field& field) {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    places_[i].clear();
    for (const std::uint32_t code : words_[i].codes)
      for (std::size_t at = find_code(field.codes, 0, field.words, static_cast<Code>(code)); at < field.words;
           at = find_code(field.codes, at + 1, field.words, static_cast<Code>(code)))
        places_[i].push_back(static_cast<std::int64_t>(at));
    if (places_[i].empty()) return 0;
    if (words_[i].codes.size() > 1) std::sort(places_[i].begin(), places_[i].end());
  }
  return static_cast<std::uint32_t>(
      std::count_if(places_.front().begin(), places_.front().end(), [this](std::int64_t at) { return begins_at(at); }));
}

// Tries each least value of place − number. Word by word, the first free place that is large enough: the words' windows
// are equally long and ascend, so that an earlier word never needs a later place than this.
bool PhrasePlaces::begins_at(std::int64_t place) {
  for (std::int64_t least = place - slop_; least <= place;) {
    std::int64_t lacking = 0;  // by how much `least` must grow
    used_.assign(1, place);
    for (std::size_t i = 1; lacking == 0 && i < words_.size(); ++i) {
      const std::int64_t from = least + words_[i].number;
      auto at = std::lower_bound(places_[i].begin(), places_[i].end(), from);
      while (at != places_[i].end() && std::find(used_.begin(), used_.end(), *at) != used_.end()) ++at;
      if (at == places_[i].end()) return false;
      if (*at > from + slop_)
        lacking = *at - from - slop_;
      else
        used_.push_back(*at);
    }
    if (lacking == 0) return true;
    least += lacking;
  }
  return false;
}

}  // namespace frond::leaf::clauses
