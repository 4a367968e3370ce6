#pragma once
// Finds tags in a page before it is parsed, as the HTML standard's tokenizer does: their names, attributes and ends,
// comments, and elements whose content holds no tags.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace frond::indexer::ingest {

// A tag's name in lower case, cut to the space there is.
struct TagName {
  static constexpr std::size_t kMaxLetters = 16;
  std::array<char, kMaxLetters> letters{};
  friend bool operator==(const TagName&, const TagName&) = default;
  std::string_view view() const {
    return {letters.data(), std::min(std::string_view(letters.data(), kMaxLetters).find('\0'), kMaxLetters)};
  }
};

inline bool is_tag_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// The name that begins at html[at].
TagName tag_name_at(std::string_view html, std::size_t at);

struct TagEnd {
  std::size_t at = 0;          // behind the '>'; the page's size if there is none
  bool there = false;          // there is a '>'
  bool closes_itself = false;  // "/>"
};
// The end of the tag whose name begins at `at`. Quoted attribute values may hold a '>'.
TagEnd tag_end(std::string_view html, std::size_t at);

// An attribute as it is written, without quotation marks; both parts are views of the page.
struct Attribute {
  std::string_view name, value;
};
// What stands between a tag's name and its '>'. `tag`: the whole tag.
std::string_view attributes_of(std::string_view tag);
// Takes the next attribute off `attributes`.
std::optional<Attribute> take_attribute(std::string_view& attributes);

// The place behind the comment that begins at `at` with "<!--". The page's size: it never ends.
std::size_t comment_end(std::string_view html, std::size_t at);

// The place of the end tag of `name`, searched from `at`; npos: there is none.
std::size_t find_end_tag(std::string_view html, std::size_t at, const TagName& name);
// The same of a script that begins at `at`. In "<!-- … -->" another script may be opened and closed.
std::size_t find_script_end(std::string_view html, std::size_t at);

// Kinds of elements, as the HTML standard's tree construction treats them (13.2.6).

// An element may be of several kinds.
using ElementKinds = std::uint16_t;
// Its content is no text of the page; in it nothing is markup but the end tag.
inline constexpr ElementKinds kWithoutTextKind = 1 << 0;
// The same, but with text.
inline constexpr ElementKinds kVerbatimKind = 1 << 1;
inline constexpr ElementKinds kFramesKind = 1 << 2;
inline constexpr ElementKinds kVoidKind = 1 << 3;
// Its end tag is usually left out, and it does not nest without others.
inline constexpr ElementKinds kImpliedKind = 1 << 4;
// Items of lists: the next ends it.
inline constexpr ElementKinds kItemKind = 1 << 5;
// Its end tag leaves open what was opened inside it.
inline constexpr ElementKinds kFormattingKind = 1 << 6;
// Its end tag ends everything inside it, up to a kScopeKind.
inline constexpr ElementKinds kBlockKind = 1 << 7;
// No end tag inside it closes anything outside of it.
inline constexpr ElementKinds kScopeKind = 1 << 8;
// The end tags of elements that are neither kFormattingKind nor kBlockKind mean nothing inside it.
inline constexpr ElementKinds kSpecialKind = 1 << 9;
// SVG's and MathML's outermost elements.
inline constexpr ElementKinds kForeignRootKind = 1 << 10;
// Ends a drawing or formula, or stands in a part of one that holds HTML, or is such a part.
inline constexpr ElementKinds kHtmlInForeignKind = 1 << 11;
// Does not occur in a title, but in the page behind it.
inline constexpr ElementKinds kPageTagKind = 1 << 12;

// 0: of none, as unknown elements are.
ElementKinds kinds_of(const TagName& name);

}  // namespace frond::indexer::ingest
