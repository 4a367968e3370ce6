#include "leaf/gpu/clause_builder.h"

#include <algorithm>

#include "leaf/gpu/batch_builder.h"
#include "leaf/gpu/plain_data.h"

namespace frond::leaf::gpu {

void ClauseBuilder::clear() {
  words_.clear();
  fields_.clear();
  clauses_.clear();
  queries_.clear();
}

void ClauseBuilder::add(const ReadyPlan& ready, std::uint32_t number, QueryOnDevice& query,
                        std::span<TermOnDevice> terms) {
  const engine::Plan& plan = *ready.plan;
  ClausesOnDevice& made = clauses_.emplace_back();
  queries_.push_back(number);
  const auto role = query.conjunction ? engine::TermRole::kOptional : engine::TermRole::kRequired;
  made.any = static_cast<std::uint32_t>(
      std::count_if(terms.begin(), terms.end(), [role](const TermOnDevice& term) { return term.role == role; }));
  made.minimum = query.conjunction ? plan.minimum : is_of_one_list(plan) ? 0 : std::max(plan.minimum, 1u);
  fields_.push_back({query.lengths, query.norm, query.min_length});
  for (std::size_t i = 0; i < plan.fields.size(); ++i)
    fields_.push_back({ready.codes[i]->words, plan.fields[i].norm, 0});
  made.field_count = static_cast<std::uint32_t>(plan.fields.size() + 1);
  if (plan.phrase) add_phrase(ready, query, terms, made.phrase);
}

void ClauseBuilder::add_phrase(const ReadyPlan& ready, QueryOnDevice& query, std::span<TermOnDevice> terms,
                               PhraseOnDevice& made) {
  const engine::PlanPhrase& phrase = *ready.plan->phrase;
  const auto list_of = [&](const engine::PlanPhrase::Word& word) -> const ResidentList& {
    return *ready.lists[word.term];
  };
  std::vector<engine::PlanPhrase::Word> words = phrase.words;
  std::stable_sort(words.begin(), words.end(),
                   [&](const auto& a, const auto& b) { return list_of(a).list.count < list_of(b).list.count; });
  scoring::Score most = scoring::kMaxScore;
  bool first = false;  // the first term is a word of the phrase alone
  for (const auto& word : words) {
    words_.push_back({word.hash, word.number});
    most = std::min(most, phrase.bounds->bound(list_of(word).list_deficit));
    first = first || (list_of(word).list.image == terms[0].list.image && terms[0].weight == 0);
  }
  most = times(most, phrase.factor.units);
  if (first) {
    terms[0].weight = phrase.weight;
    terms[0].factor = static_cast<std::uint16_t>(phrase.factor.units);
    terms[0].field = static_cast<std::uint8_t>(phrase.field);
    terms[0].bounds = *phrase.bounds;
    terms[0].max_score = most;
  } else {
    for (TermOnDevice& term : terms) term.max_rest += most;
  }
  query.phrase_words = static_cast<std::uint32_t>(words.size());
  const std::uint32_t* const begins = ready.codes.back()->words;
  made = {.sequences = reinterpret_cast<const std::byte*>(begins + query.documents + 1),
          .begins = begins,
          .words = nullptr,
          .last = phrase.words.back().number,
          .weight = phrase.weight,
          .factor = phrase.factor.units,
          .field = phrase.field,
          .text = phrase.text,
          .most = first ? 0 : most,
          .first = first};
}

void ClauseBuilder::place(std::span<QueryOnDevice> queries, const std::byte* base, ByteBuffer& bytes) {
  const WordOnDevice* words = gpu::place(words_, base, bytes);
  const FieldOnDevice* fields = gpu::place(fields_, base, bytes);
  for (std::size_t i = 0; i < clauses_.size(); ++i) {
    clauses_[i].phrase.words = words;
    words += queries[queries_[i]].phrase_words;
    clauses_[i].fields = fields;
    fields += clauses_[i].field_count;
  }
  const ClausesOnDevice* const clauses = gpu::place(clauses_, base, bytes);
  for (std::size_t i = 0; i < clauses_.size(); ++i) queries[queries_[i]].clauses = clauses + i;
}

}  // namespace frond::leaf::gpu
