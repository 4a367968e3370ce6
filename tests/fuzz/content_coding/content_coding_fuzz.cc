// Any bytes as a compressed body, by their first byte: what is decoded has no more bytes than it may, and is decoded
// again from what it is encoded to. Any bytes as an Accept-Encoding.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/check.h"
#include "common/http/content_coding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond::http;
  if (size == 0) return 0;
  constexpr std::string_view kCodings[] = {"gzip", "deflate", "zstd"};
  constexpr std::size_t kMost = 1 << 16;
  const std::string_view coding = kCodings[data[0] % 3];
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto decoded = decoded_body(coding, body, kMost);
  (void)accepted_coding(body);
  if (!decoded) return 0;
  FROND_CHECK(decoded->size() <= kMost);
  for (const auto answer : {AnswerCoding::kGzip, AnswerCoding::kZstd})
    if (const auto encoded = encoded_body(answer, *decoded))
      FROND_CHECK(*decoded_body(name_of(answer), *encoded, decoded->size()) == *decoded);
  return 0;
}
