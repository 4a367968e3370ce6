#include "broker/http/answers/did_you_mean.h"

#include <algorithm>
#include <tuple>

#include "broker/http/answers/answer_json.h"
#include "common/text/utf8.h"

namespace frond::broker::http {
namespace {

using frond::query::NearTerm;
using frond::query::NearTerms;
using frond::query::NearWord;

constexpr std::size_t kLeastLetters = 3, kLettersOfTwoEdits = 6;
constexpr std::size_t kShown = 5;  // terms like a word

std::size_t letters_of(std::string_view word) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < word.size(); ++letters) at += text::decode_utf8(word, at).bytes;
  return letters;
}

void append_words(std::string& out, const NearWord& asked, const NearTerms& found) {
  out += out.ends_with('[') ? "{" : ",{";
  append_text(out, "word", asked.word);
  append_count(out, "documents", found.df);
  append_name(out, "like");
  out += '[';
  for (const NearTerm& term : found.terms) {
    out += out.ends_with('[') ? "{" : ",{";
    append_text(out, "word", term.text);
    append_count(out, "documents", term.df);
    append_count(out, "edits", term.edits);
    out += '}';
  }
  out += ']';
  if (!found.whole) out += ",\"whole\":false";
  out += '}';
}

// The best first, as people are shown them.
NearTerms best_of(NearTerms found) {
  std::ranges::stable_sort(found.terms, {}, [](const NearTerm& term) { return std::tuple(term.edits, ~term.df); });
  if (found.terms.size() > kShown) found.terms.resize(kShown);
  return found;
}

// Empty: no such word is in q.
std::string mended(const Question& question, const std::vector<NearTerms>& best) {
  std::string out;
  std::size_t from = 0;
  const std::string_view q = question.parameters.q;
  for (const query::TermPlace& place : question.places)
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (best[i].terms.empty() || question.near[i].word != place.term) continue;
      out.append(q.substr(from, place.begin - from)).append(best[i].terms.front().text);
      from = place.end;
    }
  if (from > 0) out.append(q.substr(from));
  return out;
}

}  // namespace

std::vector<NearWord> absent_words(std::span<const wire::QueryTerm> terms) {
  std::vector<NearWord> words;
  for (const wire::QueryTerm& term : terms) {
    const std::size_t letters = letters_of(term.text);
    if (letters < kLeastLetters || term.text.size() > frond::query::kMaxNearWordBytes) continue;
    if (words.size() == frond::query::kMaxNearWords) break;
    words.push_back({.word = term.text,
                     .edits = letters < kLettersOfTwoEdits ? 1U : 2U,
                     .only_absent = true,
                     .most = frond::query::kMaxNearTerms});  // the most frequent of them are shown
  }
  return words;
}

std::string render_near(const Question& question, const merge::Page& page) {
  std::string out;
  if (page.near.size() != question.near.size() || page.near.empty()) return out;
  if (!question.parameters.did_you_mean) {
    out = ",\"did_you_mean\":{\"words\":[";
    for (std::size_t i = 0; i < page.near.size(); ++i) append_words(out, question.near[i], page.near[i]);
    return out + "]}";
  }
  std::vector<NearTerms> best;
  for (const NearTerms& found : page.near) best.push_back(best_of(found));
  if (std::ranges::all_of(best, [](const NearTerms& found) { return found.terms.empty(); })) return out;
  out = ",\"did_you_mean\":{";
  if (const std::string q = mended(question, best); !q.empty()) append_text(out, "q", q);
  append_name(out, "words");
  out += '[';
  for (std::size_t i = 0; i < best.size(); ++i)
    if (!best[i].terms.empty()) append_words(out, question.near[i], best[i]);
  return out + "]}";
}

}  // namespace frond::broker::http
