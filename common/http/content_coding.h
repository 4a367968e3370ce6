#pragma once
// Bodies that come or go compressed (RFC 9110, Content-Encoding): of requests gzip, deflate and zstd, of answers gzip
// and zstd. Any thread.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace frond::http {

// What decoded_body() knows, as a field's value.
inline constexpr std::string_view kDecoded = "gzip, deflate, zstd";

// Whether a body has a coding, so that it must be decoded: not "" and not identity. In any case.
bool is_coded(std::string_view coding);
// Whether it is one of kDecoded (or x-gzip).
bool can_decode(std::string_view coding);
// The body as it was before `coding`. kOverloaded: it has more than `max_bytes`, and is decoded no further; kInvalid:
// it is broken, cut, has bytes behind its end, or needs a window of more than 8 MiB (zstd). Holds less than twice
// `max_bytes`, and that window. REQUIRES: can_decode(coding).
Result<std::string> decoded_body(std::string_view coding, std::string_view body, std::size_t max_bytes);

enum class AnswerCoding : std::uint8_t { kIdentity, kGzip, kZstd };
// "gzip"; of kIdentity "identity".
std::string_view name_of(AnswerCoding coding);
// What a client takes by its Accept-Encoding; of two that it likes as well, zstd.
AnswerCoding accepted_coding(std::string_view accept_encoding);
// nullopt: it would not be smaller.
std::optional<std::string> encoded_body(AnswerCoding coding, std::string_view body);
// Whether answers of that type get smaller: texts and JSON.
bool is_worth_coding(std::string_view content_type);

}  // namespace frond::http
