#include "leaf/clauses/matchers/phrase_places.h"

#include <algorithm>
#include <cstring>

#include "common/base/bytes.h"

namespace frond::leaf::clauses {
namespace {

using Field = partition::TokenCodes::Field;

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

}  // namespace

PhrasePlaces::PhrasePlaces(std::span<const std::uint32_t> numbers, std::uint32_t slop) : slop_(slop) {
  for (const std::uint32_t number : numbers) {
    words_.push_back({number, {}});
    codes_.push_back({number, 0});
  }
  places_.resize(words_.size());
}

std::uint32_t PhrasePlaces::count(const Field& field, std::uint32_t width) {
  if (slop_ == 0) return count_exact(field, width);
  if (width == 1) return count_sloppy<std::uint8_t>(field);
  return width == 2 ? count_sloppy<std::uint16_t>(field) : count_sloppy<std::uint32_t>(field);
}

std::uint32_t PhrasePlaces::count_exact(const Field& field, std::uint32_t width) {
  const std::uint32_t last = words_.back().number;
  if (field.words <= last) return 0;
  for (std::size_t i = 0; i < words_.size(); ++i) codes_[i].code = words_[i].codes.front();
  std::uint32_t found = 0;
  for (const std::uint32_t code : words_.back().codes) {  // of which a place has one
    codes_.back().code = code;
    found += cpu::count_places(field.codes, width, field.words - last, codes_);
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
