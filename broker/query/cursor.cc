#include "broker/query/cursor.h"

#include <array>
#include <optional>

#include "common/base/bytes.h"
#include "common/base/long_hash.h"

namespace frond::broker::query {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string base64url(ByteView bytes) {
  std::string text;
  text.reserve(bytes.size() * 4 / 3 + 3);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const std::byte byte : bytes) {
    bits = bits << 8 | std::to_integer<std::uint32_t>(byte);
    for (count += 8; count >= 6; count -= 6) text += kAlphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kAlphabet[bits << (6 - count) & 63];
  return text;
}

// Empty: there is no such text.
std::optional<ByteBuffer> bytes_of(std::string_view text) {
  ByteBuffer bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto value = kAlphabet.find(c);
    if (value == kAlphabet.npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count));
  }
  if (count >= 6 || (bits & ((1u << count) - 1)) != 0) return {};
  return bytes;
}

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
  const auto bytes = bytes_of(text);
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
