#pragma once
// The blocks of web archives: what stands behind the head of a WARC or ARC record, to the page that it holds.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/ingest/content_coding.h"
#include "indexer/ingest/media_type.h"
#include "indexer/ingest/record_cutter.h"
#include "indexer/ingest/warc_record.h"

namespace frond::indexer::ingest {

inline constexpr std::size_t kMaxWarcHead = 64 << 10;  // of a record, and of an HTTP response

// The page of a record, decoded, with what the head says of it.
struct WarcPage {
  std::string_view id, url, charset;
  TextType type = TextType::kUnknown;  // kHtml or kText
  std::string_view content;
  bool xhtml = false;  // its server calls it XHTML
};
// The part before the content: lines of id, URL, charset and type.
std::string warc_page_head(const WarcPage& page);
// No value: `bytes` are no page.
std::optional<WarcPage> warc_page(std::string_view bytes);

// Reads the blocks of one archive. One thread.
class ArchiveBlocks {
 public:
  // How a record of the archive begins, to find the next one inside a block that is said to be longer than it is.
  struct Beginning {
    std::string_view mark;   // what each record begins with: so that it is found quickly, no frequent characters
    std::size_t before = 0;  // bytes of it that are before the record: a line feed
    bool (*is_record)(std::string_view text);
  };
  // Pages longer than `max_bytes` are bad records.
  ArchiveBlocks(Beginning beginning, std::size_t max_bytes);

  // Leaves the stream behind the block of a record, which begins there. Sets the cut's bytes to a WarcPage, or says why
  // there is none. If a record begins inside the block and none behind it, the length is wrong: the block ends there.
  // If it is compressed by itself, and the block goes on in what is, the record is bad.
  Result<void> read(ContentStream& stream, const WarcHead& head, Cut& cut);
  // Appends to `head` up to and with the empty line that ends it, but at most `left` bytes. The place behind the line;
  // npos: there is none. `left` shrinks by what was read.
  Result<std::size_t> read_head(ContentStream& stream, std::uint64_t& left, std::string& head);

 private:
  Result<void> read_response(ContentStream& stream, const WarcHead& head, std::uint64_t& left, Cut& cut);
  Result<void> read_page(ContentStream& stream, const WarcHead& head, const MediaType& type,
                         const std::vector<Coding>& codings, std::uint64_t& left, Cut& cut);
  Result<std::string_view> next_in_block(ContentStream& stream, std::uint64_t& left);
  void consume(ContentStream& stream, std::string_view taken);
  void tell_type(Cut& cut) const;
  std::size_t find_record() const;
  Result<std::size_t> begun_in_block(ContentStream& stream) const;
  Result<bool> is_end(ContentStream& stream) const;

  struct Page {
    std::size_t head = 0;  // bytes of the cut before the content
    TextType named = TextType::kUnknown;
    bool xhtml = false;    // so its server calls it
    bool as_sent = false;  // the content is what was read of the block
  };
  std::optional<Page> page_;  // of the block at hand
  Beginning beginning_;
  std::size_t max_bytes_;
  std::string too_long_why_;
  std::string last_;       // bytes before `held_`, if nothing is held: fewer than the mark has
  std::string held_;       // what was read of the block from the first mark on; if it is doubtful, the end of that
  bool doubtful_ = false;  // the block ends where a record begins in it
  std::uint64_t wrong_until_ = 0;  // the place in the stream up to which blocks were read whose lengths are wrong
};

}  // namespace frond::indexer::ingest
