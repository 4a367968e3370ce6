#include "indexer/ingest/html.h"

#include <gumbo.h>

#include <algorithm>
#include <csetjmp>
#include <vector>

#include "common/text/analyzer.h"
#include "common/text/utf8.h"
#include "indexer/ingest/html_cleaner.h"
#include "indexer/ingest/page_arena.h"

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

Role role_of(const GumboElement& element) {
  switch (element.tag) {
    case GUMBO_TAG_TEMPLATE:
      return Role::kDropped;
    case GUMBO_TAG_TITLE:
      return element.tag_namespace == GUMBO_NAMESPACE_HTML ? Role::kTitle : Role::kInline;
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH:
    case GUMBO_TAG_OPTION:
    case GUMBO_TAG_BUTTON:
    case GUMBO_TAG_IMG:
    case GUMBO_TAG_INPUT:
      return Role::kCell;
    case GUMBO_TAG_A:
    case GUMBO_TAG_ABBR:
    case GUMBO_TAG_ACRONYM:
    case GUMBO_TAG_B:
    case GUMBO_TAG_BDI:
    case GUMBO_TAG_BDO:
    case GUMBO_TAG_BIG:
    case GUMBO_TAG_CITE:
    case GUMBO_TAG_CODE:
    case GUMBO_TAG_DATA:
    case GUMBO_TAG_DEL:
    case GUMBO_TAG_DFN:
    case GUMBO_TAG_EM:
    case GUMBO_TAG_FONT:
    case GUMBO_TAG_I:
    case GUMBO_TAG_INS:
    case GUMBO_TAG_KBD:
    case GUMBO_TAG_LABEL:
    case GUMBO_TAG_MARK:
    case GUMBO_TAG_NOBR:
    case GUMBO_TAG_Q:
    case GUMBO_TAG_RUBY:
    case GUMBO_TAG_S:
    case GUMBO_TAG_SAMP:
    case GUMBO_TAG_SMALL:
    case GUMBO_TAG_SPAN:
    case GUMBO_TAG_STRIKE:
    case GUMBO_TAG_STRONG:
    case GUMBO_TAG_SUB:
    case GUMBO_TAG_SUP:
    case GUMBO_TAG_TIME:
    case GUMBO_TAG_TT:
    case GUMBO_TAG_U:
    case GUMBO_TAG_VAR:
    case GUMBO_TAG_WBR:
      return Role::kInline;
    case GUMBO_TAG_UNKNOWN: {
      GumboStringPiece name = element.original_tag;
      gumbo_tag_from_original_text(&name);
      const std::string_view tag(name.data ? name.data : "", name.length);
      constexpr std::string_view kTitles[] = {"headline", "ttl", "hl"};
      const auto same = [&](std::string_view title) {
        return std::ranges::equal(title, tag, {}, {}, [](char c) { return static_cast<char>(c | 0x20); });
      };
      return std::ranges::any_of(kTitles, same) ? Role::kTitle : Role::kBlock;
    }
    default:
      return Role::kBlock;
  }
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

}  // namespace frond::indexer::ingest
