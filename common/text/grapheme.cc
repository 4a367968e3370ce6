#include "common/text/grapheme.h"

#include <utf8proc.h>

#include "common/text/utf8.h"

namespace frond::text {
namespace {

constexpr std::size_t kMaxPoints = 64;      // of a cluster
constexpr std::int32_t kReplaced = 0xfffd;  // stands for a byte that is not UTF-8

struct Place {
  std::int32_t c = kReplaced;
  std::size_t bytes = 1;
};
Place place_at(std::string_view text, std::size_t at) {
  const CodePoint c = decode_utf8(text, at);
  return {c.value == kNoCodePoint ? kReplaced : static_cast<std::int32_t>(c.value), c.bytes};
}
// Where the code point that ends before `at` begins; at > 0.
std::size_t code_point_before(std::string_view text, std::size_t at) {
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) --begin;
  return place_at(text, begin).bytes == at - begin ? begin : at - 1;
}

unsigned bound_class(std::int32_t c) { return utf8proc_get_property(c)->boundclass; }
// Whether a cluster may not begin at `c`, by what is before it.
bool may_go_on_with(std::int32_t c) {
  switch (bound_class(c)) {
    case UTF8PROC_BOUNDCLASS_START:
    case UTF8PROC_BOUNDCLASS_OTHER:
    case UTF8PROC_BOUNDCLASS_CR:
    case UTF8PROC_BOUNDCLASS_LF:
    case UTF8PROC_BOUNDCLASS_CONTROL:
    case UTF8PROC_BOUNDCLASS_PREPEND:
      return false;
    default:
      return true;
  }
}

// Calls visit(place) for places at which clusters begin, in order, from one at or before `at`, until it is false.
template <class Visit>
void clusters_around(std::string_view text, std::size_t at, Visit&& visit) {
  std::size_t begin = code_point_before(text, at);
  for (std::size_t points = 1; begin > 0 && points < kMaxPoints; ++points) {
    const std::size_t one = code_point_before(text, begin);
    const std::int32_t c = place_at(text, begin).c;
    if (!may_go_on_with(c) && bound_class(place_at(text, one).c) != UTF8PROC_BOUNDCLASS_PREPEND) break;
    if (bound_class(c) == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR) points = 0;  // flags are told apart from the first on
    begin = one;
  }
  std::int32_t state = 0;
  std::size_t points = 1;  // of the cluster
  Place here = place_at(text, begin);
  if (!visit(begin)) return;
  for (std::size_t next = begin + here.bytes; next < text.size(); next += here.bytes) {
    const std::int32_t last = here.c;
    here = place_at(text, next);
    points = utf8proc_grapheme_break_stateful(last, here.c, &state) ? 1 : points + 1;
    if ((points == 1 || points > kMaxPoints) && !visit(next)) return;
  }
  visit(text.size());
}

bool is_plainly_between(std::string_view text, std::size_t at) {
  return at == 0 || at >= text.size() || (is_ascii(text[at]) && is_ascii(text[at - 1]));
}

}  // namespace

std::size_t cluster_begin(std::string_view text, std::size_t at) {
  if (is_plainly_between(text, at)) return at;
  std::size_t found = 0;
  clusters_around(text, at, [&](std::size_t place) {
    if (place <= at) found = place;
    return place < at;
  });
  return found;
}

std::size_t cluster_end(std::string_view text, std::size_t at) {
  if (is_plainly_between(text, at)) return at;
  std::size_t found = at;
  clusters_around(text, at, [&](std::size_t place) {
    found = place;
    return place < at;
  });
  return found;
}

}  // namespace frond::text
