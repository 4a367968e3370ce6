// Any bytes as the body of an HTTP response, below any codings: the first byte says how many, the next ones which. Fed
// whole and byte by byte, the same page comes out, no longer than the limit.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "indexer/ingest/http/content_coding.h"

using namespace frond::indexer::ingest;

namespace {

constexpr std::size_t kMaxPage = 1 << 20;

struct Page {
  std::string text;
  bool too_long = false, damaged = false;
};
Page decoded(const std::vector<Coding>& codings, std::string_view body, std::size_t piece) {
  BodyDecoder decoder(codings, kMaxPage);
  Page page;
  for (bool more = true; more && !body.empty();) {
    more = decoder.feed(body.substr(0, piece), page.text);
    body.remove_prefix(std::min(piece, body.size()));
  }
  decoder.finish(page.text);
  FROND_CHECK(page.text.size() <= kMaxPage);
  page.too_long = decoder.too_long();
  page.damaged = decoder.damaged();
  return page;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t count = std::min<std::size_t>(data[0] % (BodyDecoder::kMaxCodings + 1), size - 1);
  std::vector<Coding> codings;
  for (std::size_t i = 1; i <= count; ++i) codings.push_back(static_cast<Coding>(data[i] % 5));
  const std::string_view body(reinterpret_cast<const char*>(data) + 1 + count, size - 1 - count);
  const Page whole = decoded(codings, body, size), bytewise = decoded(codings, body, 1);
  const bool good = !whole.too_long && !whole.damaged;
  FROND_CHECK(good == (!bytewise.too_long && !bytewise.damaged));
  if (good) FROND_CHECK(whole.text == bytewise.text);
  return 0;
}
