#pragma once
// MediaWiki's markup to text. Not a MediaWiki: of templates, it knows a few that show their arguments.
#include <optional>
#include <string>
#include <string_view>

#include "indexer/ingest/formats/wiki.h"

namespace frond::indexer::ingest {

// What may nest: templates, tables, links. MediaWiki expands 40 templates inside each other.
inline constexpr std::size_t kMaxWikiDepth = 40;

// The text of a page: one line a paragraph, heading, list item or row of a table, white space folded. Kept: the labels
// of links, the cells and captions of tables, what stands between tags, the content of <nowiki>, <pre> and source code
// as it is, the arguments of text_of_template(), and what looks like a tag but is none of MediaWiki's. Dropped: other
// templates, references, comments, files and their captions, categories, links to the page in
// other languages, formulas, galleries, attributes, magic words such as __TOC__. What is never closed is text; what
// nests deeper than kMaxWikiDepth loses its marks only. Takes linear time. Accepts any text; valid UTF-8 gives valid
// UTF-8.
std::string wikitext_to_text(std::string_view wikitext, const WikiSite& site);

// The last step of wikitext_to_text().

// White space in lines folded, and lines without letters or digits dropped. Brackets that lost their content, such as
// "( ; )" where a pronunciation was, are removed.
std::string folded_lines(std::string_view text);

// What templates leave of their arguments, for those that do little more than show one.

// `inside`: what stands between "{{" and "}}", as text: a name and arguments, separated by '|'. No value: a template
// that is not of the table, which holds those of inline text: {{lang|fr|mot}}, {{nowrap|…}}, {{convert|5|km|mi}}.
std::optional<std::string> text_of_template(std::string_view inside);

}  // namespace frond::indexer::ingest
