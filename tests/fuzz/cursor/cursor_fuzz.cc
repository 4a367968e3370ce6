// Any text as a cursor; and any bytes as the position of one, which is read back, and not if a character is missing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "broker/query/cursor.h"
#include "common/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond::broker;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto cursor = query::read_cursor(text)) FROND_CHECK(query::cursor_text(*cursor) == text);
  if (size > frond::query::kMaxSortBytes) return 0;
  const query::Cursor made{{size, ~std::uint64_t{size}}, query::query_hash(text), {std::string(text), size * size}};
  const std::string written = query::cursor_text(made);
  const auto read = query::read_cursor(written);
  FROND_CHECK(read && *read == made);
  FROND_CHECK(!query::read_cursor(std::string_view(written).substr(1)));
  return 0;
}
