#pragma once
// One request, with Beast's parser. Internal to this folder. One thread.
//
// Beast gets a header, a chunk's header or all trailers at once, so that the result does not depend on how bytes
// arrive. Its callbacks fill the request, and refuse what Beast would let through where it reports that as parts: a bad
// target or Host, ambiguous framing fields, an unknown Expect. RequestParser refuses what is visible only in the bytes.
#include <cstdint>
#include <optional>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "common/http/message.h"

namespace frond::http {

class BeastRequest final : public boost::beast::http::basic_parser<true> {
 public:
  static constexpr std::size_t kMaxFields = 100;  // and as many trailers

  explicit BeastRequest(std::size_t max);

  // Returns how many bytes were used: all of a header; the part of `bytes` that belongs to the body or chunk; all of a
  // chunk's header with the CRLF before it, but none of the last chunk's without its trailers. nullopt: see `failure`.
  std::optional<std::size_t> give(std::string_view bytes);
  // Bytes of memory for the body: see RequestParser::room().
  std::size_t body_room() const;
  void refuse(std::string_view why);  // 400

  Request request;
  std::optional<Response> failure;
  std::size_t max_body;
  // Valid once the header is whole: bytes of the body, or of its chunk, that are missing; whether the client waits for
  // 100 Continue; whether the connection may stay open.
  std::uint64_t left = 0;
  bool awaited = false, persistent = false;

 private:
  using ErrorCode = boost::beast::error_code;
  using Text = boost::beast::string_view;
  using Field = boost::beast::http::field;
  void refuse(ErrorCode& ec, std::string_view why);
  std::string_view take_field(Field field, const std::string& value);
  bool is_alone() const;
  std::size_t append(Text piece);
  void on_request_impl(boost::beast::http::verb, Text method, Text target, int version, ErrorCode& ec) override;
  void on_field_impl(Field field, Text name, Text value, ErrorCode& ec) override;
  void on_header_impl(ErrorCode& ec) override;
  void on_chunk_header_impl(std::uint64_t size, Text, ErrorCode& ec) override;
  std::size_t on_body_impl(Text piece, ErrorCode&) override { return append(piece); }
  std::size_t on_chunk_body_impl(std::uint64_t, Text piece, ErrorCode&) override { return append(piece); }
  void on_response_impl(int, Text, int, ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  void on_finish_impl(ErrorCode&) override {}

  int version_ = 11;
  std::size_t fields_ = 0;  // of the header, then of the trailers
  bool header_done_ = false, host_seen_ = false, length_seen_ = false, coding_seen_ = false;
};

}  // namespace frond::http
