#pragma once
// The body of an HTTP response as it was sent, to the page: out of its chunks, and decompressed (RFC 9112, 7.1; RFC
// 9110, 8.4). Fed piece by piece, so that a body is never held as it was sent.
//
// Archives often hold bodies that were decoded when they were stored, below a head that still names the codings. So a
// coding whose first bytes are not of it is left out.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace frond::indexer::ingest {

enum class Coding { kChunked, kGzip, kDeflate, kBrotli, kZstd };

// One body. One thread.
class BodyDecoder {
 public:
  static constexpr std::size_t kMaxCodings = 4;

  // `codings` in the order in which they are taken off. The page may have `max_bytes`.
  // REQUIRES: at most kMaxCodings, of which at most one has a window.
  BodyDecoder(const std::vector<Coding>& codings, std::size_t max_bytes);
  ~BodyDecoder();
  BodyDecoder(const BodyDecoder&) = delete;
  BodyDecoder& operator=(const BodyDecoder&) = delete;

  // Appends to `page` what the next piece of the body gives. False: there is no need for further pieces, since the body
  // is damaged, or the page too long.
  bool feed(std::string_view piece, std::string& page);
  // After the last piece: appends what is left.
  void finish(std::string& page);
  // The page has become longer than max_bytes; what of it is in `page` has no meaning.
  bool too_long() const { return too_long_; }
  // The compression is damaged, so `page` has no meaning. A body that is merely cut short is not (but of zstd), nor one
  // whose chunks end early: of these, the page has what there was. Said after finish().
  bool damaged() const;

 private:
  class Stage;
  class Chunks;
  class Brotli;
  class Stream;
  bool pass(std::size_t stage, std::string_view piece, std::string& page);

  std::vector<std::unique_ptr<Stage>> stages_;
  std::size_t max_bytes_;
  std::uint64_t passed_ = 0;  // bytes into all codings and the page
  bool too_long_ = false;
};

// The window that a decoder of these codings may take beside a few KiB: RFC 9659 bounds that of zstd, brotli's format
// its own.
std::uint64_t window_of(const std::vector<Coding>& codings);

// The codings of a Content-Encoding or Transfer-Encoding field, in the order in which they are taken off. False: it
// names one that is not read, or too many,
// or two that have windows.
bool add_codings(std::string_view field, std::vector<Coding>& codings);

}  // namespace frond::indexer::ingest
