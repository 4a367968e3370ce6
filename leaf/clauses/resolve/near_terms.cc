#include "leaf/clauses/resolve/near_terms.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/text/field_term.h"
#include "common/text/utf8.h"
#include "leaf/clauses/resolve/edit_walk.h"

namespace frond::leaf::clauses {
namespace {

constexpr std::size_t kLooksOfALeap = 16;          // about what it costs, so as many terms are passed one by one first
constexpr std::size_t kLooksBetweenGlances = 256;  // at the clock

struct NearCandidate {
  query::NearTerm term;
  float nearness = 0;
  bool operator<(const NearCandidate& other) const {
    if (nearness != other.nearness) return nearness > other.nearness;
    return term.text < other.term.text;
  }
};
class NearestTerms {
 public:
  explicit NearestTerms(std::size_t most) : most_(most) {}
  void offer(const NearCandidate& one) {
    kept_.insert(one);
    if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
  }
  std::set<NearCandidate> take() { return std::move(kept_); }

 private:
  const std::size_t most_;
  std::set<NearCandidate> kept_;
};

// The bytes of the first letters, or of all.
std::string_view first_letters(std::string_view word, std::size_t letters) {
  std::size_t end = 0;
  for (; letters > 0 && end < word.size(); --letters) end += text::decode_utf8(word, end).bytes;
  return word.substr(0, end);
}

// The least text behind all that begin with this one; empty: there is none.
std::string text_behind(std::string_view beginning) {
  std::string next(beginning);
  while (!next.empty() && next.back() == '\xff') next.pop_back();
  if (!next.empty()) next.back() = static_cast<char>(next.back() + 1);
  return next;
}

// What terms of the field have before the word.
Result<std::string> field_prefix_of(const std::string& name, const schema::Schema& schema) {
  std::string prefix;
  if (name.empty()) return prefix;
  const schema::Field* const field = schema.find(name);
  if (field == nullptr) return schema::unknown_field(schema, name);
  if (field->type != schema::FieldType::kText || !field->field_search)
    return Error(Code::kInvalid, "field " + schema::quote(name) + " has no words of its own");
  text::append_field_prefix(static_cast<std::uint32_t>(field - schema.fields.data()), prefix);
  return prefix;
}

// The first of a field's terms that begin with a word.
Result<query::NearTerms> begun_terms(const query::NearWord& asked, const std::string& prefix, query::NearTerms found,
                                     const partition::GenerationTerms& dictionary, std::size_t& looks_left,
                                     const std::function<bool()>& is_over) {
  const std::string first = prefix + asked.word;
  std::size_t looks = 0;
  bool late = false;
  const std::string from = first.empty() ? text_behind({&text::kFieldMark, 1}) : first;
  FROND_TRY(dictionary.for_each_from(from, [&](std::string_view term, std::uint64_t df) {
    if (!term.starts_with(first) || found.terms.size() == asked.most) return false;
    late = looks % kLooksBetweenGlances == 0 && is_over();
    found.whole = ++looks <= looks_left;
    if (late || !found.whole) return false;
    if (term.size() > first.size() && df >= std::max<std::uint64_t>(asked.least_df, 1))
      found.terms.push_back({std::string(term.substr(prefix.size())), df, 1});
    return true;
  }));
  looks_left -= std::min(looks, looks_left);
  if (late) return Error(Code::kDeadline, "the time is over while the dictionary is looked through");
  return found;
}

}  // namespace

Result<query::NearTerms> near_terms(const query::NearWord& asked, const schema::Schema& schema,
                                    const partition::GenerationTerms& dictionary, std::size_t& looks_left,
                                    const std::function<bool()>& is_over) {
  const std::string prefix = FROND_TRY(field_prefix_of(asked.field, schema));
  query::NearTerms found;
  if (auto df = dictionary.df(prefix + asked.word))
    found.df = *df;
  else if (df.error().code() != Code::kNotFound)
    return std::move(df).error();
  if (asked.edits == query::kAnyEnding)
    return begun_terms(asked, prefix, std::move(found), dictionary, looks_left, is_over);
  if (asked.only_absent && found.df > 0) return found;

  const std::uint64_t least_df = std::max(asked.least_df, asked.more_frequent ? found.df + 1 : 1);
  EditWalk walk(asked.word, asked.edits, asked.swaps);
  NearestTerms near(asked.most), all(asked.most);
  const std::string first = prefix + std::string(first_letters(asked.word, asked.same_letters));
  // Terms of fields come before all others.
  std::string from = first.empty() ? text_behind({&text::kFieldMark, 1}) : first;
  std::size_t looks = 0, next_glance = 0;
  bool late = false;
  while (!from.empty() && found.whole && !late) {
    std::string next;
    FROND_TRY(dictionary.for_each_from(std::exchange(from, {}), [&](std::string_view term, std::uint64_t df) {
      if (!term.starts_with(first)) return false;
      if (looks >= next_glance) late = is_over();
      if (looks >= next_glance) next_glance = looks + kLooksBetweenGlances;
      found.whole = ++looks <= looks_left;
      if (late || !found.whole) return false;
      const std::string_view word = term.substr(prefix.size());
      const auto edits = walk.look_at(word);
      if (!edits) {
        if (walk.hopeless_texts() < kLooksOfALeap) return true;
        next = text_behind(term.substr(0, prefix.size() + walk.hopeless_bytes()));
        return false;
      }
      const float nearness = query::nearness(edits->edits, walk.letters(), edits->letters);
      if (edits->edits == 0 || df < least_df || nearness < asked.least_nearness) return true;
      const NearCandidate one{{std::string(word), df, edits->edits}, nearness};
      if (edits->edits == 1) near.offer(one);
      all.offer(one);
      return true;
    }));
    looks += kLooksOfALeap;
    from = std::move(next);
  }
  looks_left -= std::min(looks, looks_left);
  if (late) return Error(Code::kDeadline, "the time is over while the dictionary is looked through");
  std::set<NearCandidate> kept = all.take();
  kept.merge(near.take());
  for (const NearCandidate& one : kept) found.terms.push_back(one.term);
  return found;
}

}  // namespace frond::leaf::clauses
