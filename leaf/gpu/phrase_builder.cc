#include "leaf/gpu/phrase_builder.h"

#include <algorithm>

#include "leaf/gpu/batch_builder.h"
#include "leaf/gpu/plain_data.h"

namespace frond::leaf::gpu {

void PhraseBuilder::clear() {
  words_.clear();
  phrases_.clear();
  queries_.clear();
}

void PhraseBuilder::add(const ReadyPlan& ready, std::uint32_t number, QueryOnDevice& query,
                        std::span<TermOnDevice> terms) {
  const engine::PlanPhrase& phrase = *ready.plan->phrase;
  const auto list_of = [&](const engine::PlanPhrase::Word& word) -> const ResidentList& {
    return *ready.lists[word.term];
  };
  std::vector<engine::PlanPhrase::Word> words = phrase.words;
  std::stable_sort(words.begin(), words.end(),
                   [&](const auto& a, const auto& b) { return list_of(a).list.count < list_of(b).list.count; });
  scoring::Score most = scoring::kMaxScore;
  bool drives = false;  // the first term is a word of the phrase alone
  for (const auto& word : words) {
    words_.push_back({word.hash, word.number});
    most = std::min(most, phrase.bounds->bound(list_of(word).list_deficit));
    drives = drives || (list_of(word).list.image == terms[0].list.image && terms[0].weight == 0);
  }
  if (drives) {
    terms[0].weight = phrase.weight;
    terms[0].bounds = *phrase.bounds;
    terms[0].max_score = most;
  } else {
    for (TermOnDevice& term : terms) term.max_rest += most;
  }
  query.phrase_words = static_cast<std::uint32_t>(words.size());
  queries_.push_back(number);
  const std::uint32_t* const begins = ready.codes[0]->words;
  phrases_.push_back({.sequences = reinterpret_cast<const std::byte*>(begins + query.documents + 1),
                      .begins = begins,
                      .words = nullptr,
                      .last = phrase.words.back().number,
                      .weight = phrase.weight,
                      .most = drives ? 0 : most});
}

void PhraseBuilder::place(std::span<QueryOnDevice> queries, const std::byte* base, ByteBuffer& bytes) {
  const WordOnDevice* words = gpu::place(words_, base, bytes);
  for (std::size_t i = 0; i < phrases_.size(); ++i) {
    phrases_[i].words = words;
    words += queries[queries_[i]].phrase_words;
  }
  const PhraseOnDevice* const phrases = gpu::place(phrases_, base, bytes);
  for (std::size_t i = 0; i < phrases_.size(); ++i) queries[queries_[i]].phrase = phrases + i;
}

}  // namespace frond::leaf::gpu
