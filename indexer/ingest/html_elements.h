#pragma once
// Kinds of elements, as the HTML standard's tree construction treats them (13.2.6).
#include <cstdint>

#include "indexer/ingest/html_tags.h"

namespace frond::indexer::ingest {

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
