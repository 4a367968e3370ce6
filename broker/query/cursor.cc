#include "broker/query/cursor.h"

#include "broker/query/base64url.h"
#include "common/base/bytes.h"
#include "common/base/long_hash.h"

namespace frond::broker::query {
namespace {

constexpr std::uint8_t kVersion = 1;
}  // namespace

std::uint64_t query_hash(std::string_view query) { return long_hash(as_bytes(query)); }

std::string cursor_text(const Cursor& cursor) {
  ByteBuffer bytes;
  ByteWriter out(bytes);
  out.put(kVersion);
  for (const std::uint64_t number :
       {cursor.generation.number, cursor.generation.content, cursor.query, cursor.after.ordinal})
    out.put(number);
  out.put_bytes(as_bytes(cursor.after.bytes));
  out.put(long_hash(bytes));
  return base64url(bytes);
}

Result<Cursor> read_cursor(std::string_view text) {
  const Error wrong(Code::kInvalid, "is no cursor of an answer, or not all of it");
  if (text.size() > kMaxCursorBytes) return wrong;
  const auto bytes = base64url_bytes(text);
  constexpr std::size_t kSumBytes = sizeof(std::uint64_t);
  if (!bytes || bytes->size() < kSumBytes) return wrong;
  const ByteView signed_bytes(bytes->data(), bytes->size() - kSumBytes);
  if (load_le<std::uint64_t>(bytes->data() + signed_bytes.size()) != long_hash(signed_bytes)) return wrong;
  ByteReader in(signed_bytes);
  if (in.get<std::uint8_t>() != kVersion) return wrong;
  Cursor cursor;
  cursor.generation.number = in.get<std::uint64_t>();
  cursor.generation.content = in.get<std::uint64_t>();
  cursor.query = in.get<std::uint64_t>();
  cursor.after.ordinal = in.get<std::uint64_t>();
  cursor.after.bytes = std::string(as_text(in.get_bytes(in.left())));
  if (!in.ok() || cursor.after.bytes.size() > frond::query::kMaxSortBytes) return wrong;
  return cursor;
}

}  // namespace frond::broker::query
