#include "tools/synth/text/document_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/base/check.h"
#include "tools/synth/text/word_frequencies.h"

namespace frond::tools::synth {
namespace {

constexpr DocumentWriter::Style kJsonStyle{"", "\\n", "\\\"", "&", 2};
constexpr DocumentWriter::Style kHtmlStyle{"<div class=\"section\"><p class=\"text\">", "</p></div>\n", "&quot;",
                                           "&amp;", 6};
constexpr std::uint32_t kDocumentsOfSite = 16;  // neighbours
constexpr auto kRepeatBelow = static_cast<std::uint32_t>(kRepeats * 256);
// A word, two paths and tags around them.
constexpr std::size_t kMaxMarkedBytes = 4 * Speller::kMaxWordBytes + 64;

void capitalize(char& letter) {
  if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - ('a' - 'A'));
}

}  // namespace

DocumentWriter::DocumentWriter(const TextModel& model, Random& random, TextBuffer& out)
    : model_(model),
      style_(model.markup == Markup::kHtml ? kHtmlStyle : kJsonStyle),
      random_(random),
      out_(out),
      words_{},
      recent_{} {}

DocumentWriter::Counts DocumentWriter::write(std::uint64_t chunk, std::uint32_t in_chunk) {
  counts_ = {};
  drawn_ = 0;
  const double length = model_.median_words * std::exp(model_.profile.length_sigma * normal(random_));
  const auto words = static_cast<std::uint32_t>(std::clamp<double>(length, 2, kMaxDocumentWords));
  const std::string id = fmt::format("{}-{:07}-{:05}", model_.profile.name, chunk, in_chunk);
  const std::uint64_t site = mixed(model_.seed + (chunk << 16) + in_chunk / kDocumentsOfSite);
  std::array<char, 5 * Speller::kMaxWordBytes> buffer;
  char* to = append("http://www.", buffer.data());
  to = model_.speller.put_plain(site & 0xffffff, to);
  to = append((site >> 24) % 4 == 0 ? ".org" : ".com", to);
  to = put_path(random_.next() >> 44, to);
  const std::string_view url(buffer.data(), static_cast<std::size_t>(to - buffer.data()));
  model_.markup == Markup::kHtml ? write_html(id, url, words) : write_json(id, url, words);
  return counts_;
}

void DocumentWriter::write_json(std::string_view id, std::string_view url, std::uint32_t words) {
  const std::uint32_t of_title = std::min(words - 1, 3 + random_.below(6));
  out_.append("{\"id\":\"");
  out_.append(id);
  out_.append("\",\"url\":\"");
  out_.append(url);
  out_.append("\",\"title\":\"");
  write_title(of_title);
  out_.append("\",\"body\":\"");
  write_body(words - of_title);
  out_.append("\"}\n");
}

void DocumentWriter::write_html(std::string_view id, std::string_view url, std::uint32_t words) {
  out_.append("<DOC>\n<DOCNO>");
  out_.append(id);
  out_.append("</DOCNO>\n<DOCHDR>\n");
  out_.append(url);
  out_.append("\n</DOCHDR>\n<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
  const std::uint32_t of_title = std::min(words - 1, 3 + random_.below(6));
  write_title(of_title);
  words -= of_title;
  const std::uint32_t extra = model_.profile.boilerplate;
  out_.append("</title>\n<style type=\"text/css\">\n");
  if (extra != 0) write_boilerplate(extra / 4 + random_.below(extra / 2));
  out_.append("</style>\n<script type=\"text/javascript\">\n");
  if (extra != 0) write_boilerplate(extra / 4 + random_.below(extra / 2));
  out_.append("</script>\n</head>\n<body>\n");
  const std::uint32_t links = std::min(words / 8, 8 + random_.below(16));
  write_navigation(links);
  out_.append("<div id=\"content\">\n");
  write_body(words - links);
  out_.append("</div>\n</body>\n</html>\n</DOC>\n");
}

void DocumentWriter::write_boilerplate(std::uint32_t bytes) {
  const std::string_view lines = model_.boilerplate;
  const auto begin = lines.find('\n', random_.below(static_cast<std::uint32_t>(lines.size() - bytes - 256))) + 1;
  const auto end = lines.find('\n', begin + bytes) + 1;
  out_.append(lines.substr(begin, end - begin));
}

void DocumentWriter::write_navigation(std::uint32_t links) {
  out_.append("<ul id=\"navigation\">\n");
  draw(links);
  char* to = out_.reserve(links * (kMaxMarkedBytes + 64));
  for (std::uint32_t i = 0; i < links; ++i) {
    const std::uint64_t word = words_[i].number;
    to = put_path(word, append("<li class=\"item\"><a href=\"", to));
    to = append("\" class=\"navigation-link\">", to);
    char* const first = to;
    to = model_.speller.put(word, to);
    capitalize(*first);
    to = append("</a></li>\n", to);
  }
  out_.set_end(to);
  out_.append("</ul>\n");
}

void DocumentWriter::write_title(std::uint32_t words) {
  draw(words);
  char* to = out_.reserve((words + 1) * (Speller::kMaxWordBytes + 1));
  for (std::uint32_t i = 0; i < words; ++i) {
    if (i != 0) *to++ = ' ';
    char* const first = to;
    to = model_.speller.put(words_[i].number, to);
    capitalize(*first);
  }
  out_.set_end(to);
}

void DocumentWriter::write_body(std::uint32_t words) {
  while (words != 0) {
    out_.append(style_.paragraph);
    for (std::uint32_t sentences = 2 + random_.below(7); sentences != 0 && words != 0; --sentences) {
      const auto bits = static_cast<std::uint32_t>(random_.next() >> 32);
      const std::uint32_t length = std::min(words, 4 + (bits & 15) + (bits >> 4 & 15));
      write_sentence(length);
      words -= length;
      const char* const end = (bits >> 8 & 31) == 0 ? "? " : (bits >> 8 & 31) == 1 ? "! " : ". ";
      out_.append({end, sentences == 1 || words == 0 ? 1u : 2u});
    }
    out_.append(style_.paragraph_end);
  }
}

void DocumentWriter::write_sentence(std::uint32_t words) {
  draw(words);
  char* to = out_.reserve((words + 1) * kMaxMarkedBytes);
  for (std::uint32_t i = 0; i < words; ++i) {
    const auto [word, bits] = words_[i];
    *to = ' ';
    to += i != 0;
    char* const first = to;
    const std::uint32_t kind = bits >> 4;
    to = kind < style_.marked ? put_marked(word, kind, to) : model_.speller.put(word, to);
    if (i == 0) capitalize(*first);
    *to = ',';
    to += ((bits & 15) == 0) & (i + 1 != words);
  }
  out_.set_end(to);
}

char* DocumentWriter::put_marked(std::uint64_t word, std::uint32_t kind, char* to) const {
  if (kind == 0) return append(style_.quote, model_.speller.put(word, append(style_.quote, to)));
  if (kind == 1) return append(style_.ampersand, append(" ", model_.speller.put(word, to)));
  if (kind == 2) return append("</b>", model_.speller.put(word, append("<b>", to)));
  if (kind == 3) return append("</em>", model_.speller.put(word, append("<em>", to)));
  to = append("\">", put_path(word, append("<a href=\"", to)));
  return append("</a>", model_.speller.put(word, to));
}

char* DocumentWriter::put_path(std::uint64_t word, char* to) const {
  *to++ = '/';
  to = model_.speller.put_plain(word & 1023, to);
  *to++ = '/';
  return append(".html", model_.speller.put_plain(word, to));
}

void DocumentWriter::draw(std::uint32_t count) {
  FROND_CHECK(count <= kMaxDrawn);
  // Without branches on random numbers, but for one in word_of(): they would be mispredicted.
  std::uint32_t tokens = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t a = random_.next(), b = (a ^ a >> 32) * 0xd6e8feb86659fd93u;
    const std::uint64_t drawn = model_.frequencies.word_of(a, b);
    const std::uint32_t bits = a >> 14 & 0x3ffff;
    const bool repeated = (drawn >= kFunctionWords) & ((bits & 255) < kRepeatBelow) & (drawn_ != 0);
    const auto back = 1 + static_cast<std::uint32_t>((b >> 32) * std::min(drawn_, kRemembered - 1) >> 32);
    const std::uint64_t earlier = recent_[(drawn_ - back) % kRemembered];
    const std::uint64_t mask = -static_cast<std::uint64_t>(repeated);
    const std::uint64_t number = (earlier & mask) | (drawn & ~mask);
    recent_[drawn_ % kRemembered] = number;
    drawn_ += (drawn >= kFunctionWords) & !repeated;
    tokens += is_stop_word(number) ? 0 : 1;
    words_[i] = {number, bits >> 8};
  }
  counts_.words += count;
  counts_.tokens += tokens;
}

}  // namespace frond::tools::synth
