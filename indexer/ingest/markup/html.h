#pragma once
// HTML to text.
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "indexer/ingest/markup/plain_text.h"
#include "indexer/ingest/records/raw_record.h"

namespace frond::indexer::ingest {

inline constexpr std::size_t kMaxHtmlBytes = std::size_t{16} << 20;

struct HtmlOptions {
  std::size_t tree_bytes = kMaxTreeBytes;  // memory for the elements
  bool xhtml = false;                      // by its type or name; otherwise the page says it
  const std::stop_token* stop = nullptr;
};
// The text of an HTML page, or of anything with tags, as cleaned_html() leaves it: without scripts, styles, templates
// and comments; references resolved, white space folded, one line a block element. The title is that of <title>, or of
// TREC's <headline>, <ttl> or <hl>; it is not in the body. Links that are nothing but a pilcrow, which documentation
// has at its headings, are left out. `utf8` is valid UTF-8. kInvalid: the page is longer than kMaxHtmlBytes, or its
// elements take too much memory or more than PageArena::kMaxSeconds. kUnavailable: stopped.
Result<TitledText> html_to_text(std::string_view utf8, const HtmlOptions& options = {});

// A page without what is no text, for the tree builder: it takes less time and memory, and none beyond proportion.
inline constexpr std::size_t kMaxHtmlDepth = 256;

// Gives the page with the same text in the same elements, but
// - tags have no attributes: a tree builder compares each of a tag's with all others, and repeats formatting elements
//   that differ in them;
// - scripts, styles, <iframe>, <noembed>, comments and doctypes are left out;
// - start tags nested deeper than `max_depth` are spaces, since a tree builder searches its stack of open elements.
//   The depth is overestimated: unclosed formatting counts, although a parser may end it;
// - what <noframes> holds is part of the page;
// - a title without an end tag, or with one more than kMaxTitleBytes away and behind other tags of a page, ends at the
//   first such tag or with its first line that is not blank; further titles without an end lose their tags;
// - of other elements whose content is no markup and that are never closed, scripts and styles end at the first tag of
//   a page, and the others lose their tags: a browser would take the rest of the page for their content;
// - in XHTML, elements that close themselves are empty, and CDATA sections are text. A page is XHTML if `xhtml` says
//   so, by its XML declaration, or by its root's namespace.
// Takes linear time.
std::string cleaned_html(std::string_view html, bool xhtml = false, std::size_t max_depth = kMaxHtmlDepth);

// The memory of gumbo, the HTML parser. Pieces are freed together; single pieces that gumbo frees are used again for
// others of their size. gumbo cannot handle a failed allocation, and frees its tree by recursion: so allocate() jumps
// out of the parse when a limit is reached, and the arena frees the tree. The parser allocates at every tag, so this is
// also where its time is limited. One thread.
class PageArena {
 public:
  static constexpr std::size_t kMinBytes = 512 << 10;
  // Of the thread's own time, so that a busy machine refuses no page. Cleaned pages take less by far: cleaned_html().
  static constexpr std::uint64_t kMaxSeconds = 20;
  enum class Refusal : int { kNone, kMemory, kTime, kStopped };
  // Holds at most `limit` bytes, kMinBytes or more. `stop` may be null.
  explicit PageArena(std::size_t limit, const std::stop_token* stop = nullptr);
  ~PageArena();
  PageArena(const PageArena&) = delete;
  PageArena& operator=(const PageArena&) = delete;

  // allocate() jumps here, with 1, when a limit is reached. The caller fills it by setjmp().
  std::jmp_buf& exhausted() { return exhausted_; }
  // gumbo's allocator and deallocator; `arena` is the PageArena. Pieces are aligned to 8 bytes.
  static void* allocate(void* arena, std::size_t size) { return static_cast<PageArena*>(arena)->take(size); }
  static void release(void* arena, void* piece) {
    if (piece) static_cast<PageArena*>(arena)->give_back(piece);
  }
  std::size_t bytes() const { return used_; }
  // Why allocate() jumped.
  Refusal refusal() const { return refusal_; }

 private:
  // Stands before each piece: its size. A tree has millions of pieces, most of less than 200 bytes, so sizes are not
  // rounded to powers of two.
  struct Header {
    std::size_t bytes;
  };
  struct Free {
    Free* next;
  };
  // A piece with a block of its own, in a list so that it can be freed with the others.
  struct Large {
    Large *before, *after;
    Header header;  // last
  };
  static constexpr std::size_t kUnit = 8, kSmallBytes = 1024, kLargeBytes = 64 << 10;
  static constexpr std::size_t kClasses = kSmallBytes / kUnit + 4 * 6 + 1;  // four a doubling up to kLargeBytes

  static std::size_t rounded(std::size_t size);
  static std::size_t class_of(std::size_t bytes);
  void* take(std::size_t size);
  void* take_large(std::size_t bytes);
  void give_back(void* piece);
  std::byte* new_block(std::size_t bytes);
  [[noreturn]] void refuse(Refusal why);
  void check_time();

  const std::size_t limit_, block_bytes_;
  std::size_t used_ = 0, left_ = 0;
  std::byte* at_ = nullptr;
  std::array<Free*, kClasses> free_{};
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  Large large_{&large_, &large_, {0}};  // the list's ends
  const std::stop_token* stop_;
  static constexpr std::uint32_t kTakesUnchecked = 1024;
  std::uint32_t unchecked_ = 0;
  std::uint64_t deadline_ns_;
  Refusal refusal_ = Refusal::kNone;
  std::jmp_buf exhausted_;
};

}  // namespace frond::indexer::ingest
