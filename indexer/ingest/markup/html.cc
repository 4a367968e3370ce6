#include "indexer/ingest/markup/html.h"

#include <gumbo.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <new>
#include <vector>

#include "common/text/utf8.h"

namespace frond::indexer::ingest {
namespace {

// More than any ordinary page takes.
std::size_t max_tree_bytes(std::size_t page_bytes) { return (std::size_t{32} << 20) + 40 * page_bytes; }

// Null: the arena is exhausted. Has no local object, whose destructor the jump would skip.
GumboOutput* parse(PageArena& arena, const char* html, std::size_t bytes) {
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = PageArena::allocate;
  options.deallocator = PageArena::release;
  options.userdata = &arena;
  options.max_errors = 0;
  if (setjmp(arena.exhausted()) != 0) return nullptr;
  return gumbo_parse_with_options(&options, html, bytes);
}

Error refusal_of(const PageArena& arena, std::size_t tree_bytes) {
  if (arena.refusal() == PageArena::Refusal::kStopped) return {Code::kUnavailable, "stopped"};
  if (arena.refusal() == PageArena::Refusal::kTime)
    return {Code::kInvalid, "HTML that takes more than " + std::to_string(PageArena::kMaxSeconds) + " s to parse"};
  return {Code::kInvalid, "HTML whose elements take more than " + std::to_string(tree_bytes >> 20) +
                              " MiB of memory (see --memory-limit)"};
}

enum class Role { kInline, kBlock, kCell, kDropped, kTitle };

constexpr auto kRoles = [] {
  std::array<Role, GUMBO_TAG_LAST> roles{};
  roles.fill(Role::kBlock);
  for (const GumboTag tag :
       {GUMBO_TAG_TD, GUMBO_TAG_TH, GUMBO_TAG_OPTION, GUMBO_TAG_BUTTON, GUMBO_TAG_IMG, GUMBO_TAG_INPUT})
    roles[tag] = Role::kCell;
  for (const GumboTag tag :
       {GUMBO_TAG_A,     GUMBO_TAG_ABBR, GUMBO_TAG_ACRONYM, GUMBO_TAG_B,      GUMBO_TAG_BDI, GUMBO_TAG_BDO,
        GUMBO_TAG_BIG,   GUMBO_TAG_CITE, GUMBO_TAG_CODE,    GUMBO_TAG_DATA,   GUMBO_TAG_DEL, GUMBO_TAG_DFN,
        GUMBO_TAG_EM,    GUMBO_TAG_FONT, GUMBO_TAG_I,       GUMBO_TAG_INS,    GUMBO_TAG_KBD, GUMBO_TAG_LABEL,
        GUMBO_TAG_MARK,  GUMBO_TAG_NOBR, GUMBO_TAG_Q,       GUMBO_TAG_RUBY,   GUMBO_TAG_S,   GUMBO_TAG_SAMP,
        GUMBO_TAG_SMALL, GUMBO_TAG_SPAN, GUMBO_TAG_STRIKE,  GUMBO_TAG_STRONG, GUMBO_TAG_SUB, GUMBO_TAG_SUP,
        GUMBO_TAG_TIME,  GUMBO_TAG_TT,   GUMBO_TAG_U,       GUMBO_TAG_VAR,    GUMBO_TAG_WBR})
    roles[tag] = Role::kInline;
  roles[GUMBO_TAG_TEMPLATE] = Role::kDropped;
  roles[GUMBO_TAG_TITLE] = Role::kTitle;
  return roles;
}();

Role role_of(const GumboElement& element) {
  if (element.tag == GUMBO_TAG_TITLE && element.tag_namespace != GUMBO_NAMESPACE_HTML) return Role::kInline;
  if (element.tag != GUMBO_TAG_UNKNOWN) return kRoles[element.tag];
  GumboStringPiece name = element.original_tag;
  gumbo_tag_from_original_text(&name);
  const std::string_view tag(name.data ? name.data : "", name.length);
  constexpr std::string_view kTitles[] = {"headline", "ttl", "hl"};
  const auto same = [&](std::string_view title) {
    return std::ranges::equal(title, tag, {}, {}, [](char c) { return static_cast<char>(c | 0x20); });
  };
  return std::ranges::any_of(kTitles, same) ? Role::kTitle : Role::kBlock;
}

// The text of a tree, without recursion.
class TreeText {
 public:
  TitledText of(const GumboNode* root) {
    stack_.push_back({root, 0, Role::kInline});
    while (!stack_.empty()) {
      Visit& visit = stack_.back();
      const GumboVector& children =
          visit.node->type == GUMBO_NODE_DOCUMENT ? visit.node->v.document.children : visit.node->v.element.children;
      if (visit.next == children.length) {
        leave(visit.role);
        stack_.pop_back();
      } else {
        enter(static_cast<const GumboNode*>(children.data[visit.next++]));
      }
    }
    return std::move(result_);
  }

 private:
  struct Visit {
    const GumboNode* node;
    unsigned next;  // child to visit
    Role role;
  };

  void enter(const GumboNode* node) {
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE || node->type == GUMBO_NODE_CDATA) {
      const std::string_view text = node->v.text.text;
      if (text == kPilcrow && node->parent->type == GUMBO_NODE_ELEMENT && node->parent->v.element.tag == GUMBO_TAG_A)
        return;
      folder().text(text);
    } else if (node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE) {
      Role role = role_of(node->v.element);
      if (role == Role::kDropped) return;
      // Only the first is the title; others are text.
      if (role == Role::kTitle && (titled_ || in_title_)) role = Role::kBlock;
      // A headline that is never closed ends where the next part of the document begins.
      if (in_title_ && role == Role::kBlock && node->v.element.tag == GUMBO_TAG_UNKNOWN) end_title();
      in_title_ = in_title_ || role == Role::kTitle;
      separate(role);
      stack_.push_back({node, 0, role});
    }
  }
  void leave(Role role) {
    if (role == Role::kTitle) end_title();
    separate(role);
  }
  void end_title() {
    in_title_ = false;
    titled_ = !result_.title.empty();
  }
  void separate(Role role) {
    if (role == Role::kBlock) folder().line();
    if (role == Role::kCell) folder().space();
  }
  TextFolder& folder() { return in_title_ ? title_ : body_; }

  TitledText result_;
  TextFolder title_{result_.title}, body_{result_.body};
  bool in_title_ = false, titled_ = false;
  std::vector<Visit> stack_;
};

// Blocks of small arenas come from the allocator's heap, those of large ones from the system and go straight back to
// it.
std::size_t block_bytes_for(std::size_t limit) { return limit < (16 << 20) ? 256 << 10 : 1 << 20; }

std::uint64_t thread_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

Result<TitledText> html_to_text(std::string_view utf8, const HtmlOptions& options) {
  if (utf8.size() > kMaxHtmlBytes) return Error(Code::kInvalid, "HTML longer than 16 MiB");
  const std::string html = cleaned_html(utf8, options.xhtml);
  const std::size_t tree_bytes =
      std::max(PageArena::kMinBytes, std::min(options.tree_bytes, max_tree_bytes(utf8.size())));
  PageArena arena(tree_bytes, options.stop);
  const GumboOutput* output = parse(arena, html.data(), html.size());
  if (!output) return refusal_of(arena, tree_bytes);
  TitledText result = TreeText().of(output->document);
  std::ranges::replace(result.title, '\n', ' ');
  if (!text::is_utf8(result.title)) result.title = text::repaired_utf8(result.title);  // references to surrogates
  if (!text::is_utf8(result.body)) result.body = text::repaired_utf8(result.body);
  result.title = tidy_title(result.title);
  return result;
}

PageArena::PageArena(std::size_t limit, const std::stop_token* stop)
    : limit_(limit),
      block_bytes_(block_bytes_for(limit)),
      stop_(stop),
      deadline_ns_(thread_ns() + kMaxSeconds * 1'000'000'000) {
  blocks_.reserve(limit / block_bytes_ + 1);
}

PageArena::~PageArena() {
  for (Large* large = large_.after; large != &large_;) {
    Large* const after = large->after;
    delete[] reinterpret_cast<std::byte*>(large);
    large = after;
  }
}

// Multiples of kUnit; above kSmallBytes, of a quarter of the power of two below.
std::size_t PageArena::rounded(std::size_t size) {
  size = std::max(size, kUnit);
  const std::size_t unit = size <= kSmallBytes ? kUnit : std::bit_floor(size - 1) / 4;
  return (size + unit - 1) / unit * unit;
}

// The class of a size that rounded() gives, up to kLargeBytes.
std::size_t PageArena::class_of(std::size_t bytes) {
  if (bytes <= kSmallBytes) return bytes / kUnit;
  const std::size_t below = std::bit_floor(bytes - 1);
  const auto doublings = static_cast<std::size_t>(std::countr_zero(below / kSmallBytes));
  return kSmallBytes / kUnit + 4 * doublings + (bytes - below) / (below / 4);
}

void PageArena::refuse(Refusal why) {
  refusal_ = why;
  std::longjmp(exhausted_, 1);
}

void PageArena::check_time() {
  unchecked_ = 0;
  if (stop_ && stop_->stop_requested()) refuse(Refusal::kStopped);
  if (thread_ns() > deadline_ns_) refuse(Refusal::kTime);
}

void* PageArena::take(std::size_t size) {
  if (size > limit_) refuse(Refusal::kMemory);
  if (++unchecked_ == kTakesUnchecked) check_time();
  const std::size_t bytes = rounded(size);
  if (bytes > kLargeBytes) return take_large(bytes);
  Free*& free = free_[class_of(bytes)];
  if (free) {
    void* const piece = free;
    free = free->next;
    return piece;
  }
  if (sizeof(Header) + bytes > left_) {
    at_ = new_block(block_bytes_);
    left_ = block_bytes_;
    blocks_.emplace_back(at_);  // within what is reserved
  }
  auto* const header = new (at_) Header{bytes};
  at_ += sizeof(Header) + bytes;
  left_ -= sizeof(Header) + bytes;
  return header + 1;
}

void* PageArena::take_large(std::size_t bytes) {
  std::byte* const block = new_block(sizeof(Large) + bytes);
  auto* const large = new (block) Large{&large_, large_.after, {bytes}};
  large_.after->before = large;
  large_.after = large;
  return large + 1;
}

void PageArena::give_back(void* piece) {
  const std::size_t bytes = (static_cast<Header*>(piece) - 1)->bytes;
  if (bytes <= kLargeBytes) {
    Free*& free = free_[class_of(bytes)];
    free = new (piece) Free{free};
    return;
  }
  Large* const large = static_cast<Large*>(piece) - 1;
  large->before->after = large->after;
  large->after->before = large->before;
  used_ -= sizeof(Large) + bytes;
  delete[] reinterpret_cast<std::byte*>(large);
}

// Jumps if the limit does not allow it.
std::byte* PageArena::new_block(std::size_t bytes) {
  if (bytes > limit_ - std::min(limit_, used_)) refuse(Refusal::kMemory);
  auto* const block = new (std::nothrow) std::byte[bytes];
  if (!block) refuse(Refusal::kMemory);  // an exception could not pass through gumbo
  used_ += bytes;
  return block;
}

}  // namespace frond::indexer::ingest
