#pragma once
// Cap'n Proto to plain structs, from any bytes, as decode_request.cc and decode_reply.cc do it. Cap'n Proto checks
// pointers and throws, which is caught here; ranges, orders and limits are checked by who reads a member.
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/text/limits.h"
#include "common/wire/codec.h"
#include "common/wire/leaf.capnp.h"
#include "common/wire/messages.h"

namespace frond::wire::decoding {

inline constexpr int kMaxNesting = 8 + 2 * static_cast<int>(query::kMaxFacetDepth);  // of pointers
inline constexpr std::size_t kMaxShownName = 64;  // bytes of an unknown name in an error

inline Error corrupt(std::string what) { return Error(Code::kCorrupt, std::move(what)); }

inline Result<void> at_most(std::size_t count, std::size_t limit, std::string_view what) {
  if (count <= limit) return {};
  return corrupt(std::to_string(count) + " " + std::string(what) + ", at most " + std::to_string(limit) + " allowed");
}

inline std::string string_of(capnp::Text::Reader from) { return {from.begin(), from.size()}; }

inline Result<std::string> sort_bytes_of(capnp::Data::Reader from) {
  FROND_TRY(at_most(from.size(), query::kMaxSortBytes, "sort bytes"));
  return std::string(reinterpret_cast<const char*>(from.begin()), from.size());
}

// The enum value with this number, up to `last`; a newer peer may send higher numbers.
template <class Ours, class Theirs>
Result<Ours> enum_of(Theirs from, Ours last, std::string_view what) {
  const auto number = static_cast<unsigned>(from);
  if (number <= static_cast<unsigned>(last)) return static_cast<Ours>(number);
  return corrupt("unknown " + std::string(what) + " " + std::to_string(number));
}

// The enum value with this number; the first one where a newer peer sends a higher number.
template <class Ours, class Theirs>
Ours known_or_first(Theirs from, Ours last) {
  const auto number = static_cast<unsigned>(from);
  return number <= static_cast<unsigned>(last) ? static_cast<Ours>(number) : Ours{};
}

inline Result<std::string> term_of(capnp::Text::Reader from) {
  if (from.size() == 0 || from.size() > text::kMaxTermBytes)
    return corrupt("a term of " + std::to_string(from.size()) + " bytes");
  return string_of(from);
}

// A newer broker may send more bits.
inline std::uint8_t fields_of(std::uint16_t bits) { return static_cast<std::uint8_t>(bits & kAllFields); }

// False for NaN.
inline bool lies_in(double value, double low, double high) { return value >= low && value <= high; }

inline Result<scoring::Bm25Parameters> bm25_of(double k1, double b) {
  if (!lies_in(k1, 0, scoring::kMaxK1)) return corrupt("k1 out of range");
  if (!lies_in(b, 0, 1)) return corrupt("b out of range");
  return scoring::Bm25Parameters{k1, b};
}

// The bytes as 8-byte words: in place if they are aligned, as Cap'n Proto needs them, else a copy, which is not
// allocated for messages of usual size.
class Words {
 public:
  explicit Words(ByteView bytes)
      : words(reinterpret_cast<const capnp::word*>(bytes.data()), bytes.size() / sizeof(capnp::word)) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(capnp::word) == 0) return;
    if (words.size() > kUsual) large_ = std::make_unique_for_overwrite<std::uint64_t[]>(words.size());
    std::uint64_t* const copy = large_ ? large_.get() : usual_;
    std::memcpy(copy, bytes.data(), words.size() * sizeof(capnp::word));
    words = kj::ArrayPtr<const capnp::word>(reinterpret_cast<const capnp::word*>(copy), words.size());
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  kj::ArrayPtr<const capnp::word> words;

 private:
  static constexpr std::size_t kUsual = 512;
  std::uint64_t usual_[kUsual];  // not set
  std::unique_ptr<std::uint64_t[]> large_;
};

// get(Root::Reader): the message.
template <class Root, class Message, class Get>
Result<Message> decode_as(ByteView bytes, std::string_view what, const Get& get) {
  if (bytes.empty() || bytes.size() % sizeof(capnp::word) != 0 || bytes.size() > kMaxMessageBytes)
    return corrupt(std::string(what) + " of " + std::to_string(bytes.size()) + " bytes");
  try {
    const Words in(bytes);
    const auto& words = in.words;
    // Each word may be read once, so that many pointers to one object cannot make a small message large.
    const capnp::ReaderOptions options{.traversalLimitInWords = words.size() + 64, .nestingLimit = kMaxNesting};
    capnp::FlatArrayMessageReader reader(words, options);
    if (reader.getEnd() != words.end()) return corrupt(std::string(what) + " with bytes after its end");
    Result<Message> result = get(reader.template getRoot<Root>());
    if (!result) return std::move(result).error().within(what);
    return result;
  } catch (const kj::Exception& e) {
    return corrupt(std::string(what) + ": " + e.getDescription().cStr());
  } catch (const std::exception& e) {
    return corrupt(std::string(what) + ": " + e.what());
  }
}

// What `look` finds in a message that may be damaged; nothing where it cannot be read.
template <class Root, class Look>
auto glance(ByteView bytes, const Look& look) -> decltype(look(std::declval<typename Root::Reader>())) {
  if (bytes.size() < sizeof(capnp::word)) return {};
  try {
    const Words in(bytes);
    const capnp::ReaderOptions options{.traversalLimitInWords = in.words.size() + 64, .nestingLimit = kMaxNesting};
    capnp::FlatArrayMessageReader reader(in.words, options);
    return look(reader.template getRoot<Root>());
  } catch (const std::exception&) {  // kj's exceptions derive from it
    return {};
  }
}

}  // namespace frond::wire::decoding
