#include "leaf/cpu/term_reader.h"

#include <string>
#include <utility>

#include "common/partition/partition.h"

namespace frond::leaf::cpu {

TermReader::TermReader(const engine::Plan& plan, const engine::PlanTerm& term)
    : list_(&term.list->postings),
      index_(term.list->buckets.get()),
      key_(&term.list->key),
      lengths_(plan.lengths.data()),
      weight_(term.weight),
      norm_(plan.norm),
      bounds_(term.bounds) {
  std::fill_n(docids_.begin() + kBlockLength, kVectorSlack, kNoDoc);
  // Decoded docIDs are at most the list's last docID, so this one check makes all of them valid indexes into lengths.
  const DocId last = list_->segments().back().last_docid();
  if (last >= plan.lengths.size())
    fail(Error(Code::kCorrupt, "docID " + std::to_string(last) + " is past the last of " +
                                   std::to_string(plan.lengths.size()) + " documents"));
}

Score TermReader::stored_threshold(std::uint32_t k) const {
  for (std::size_t i = 0; i < postings::kBestRanks.size(); ++i)
    if (k <= postings::kBestRanks[i] && list_->best_deficit(i) != postings::kNoDeficit)
      return bounds_.lower_bound(list_->best_deficit(i));
  return 0;
}

void TermReader::note(Error error) {
  if (!error_) error_ = std::move(error).within("list of " + partition::printable(key_->term));
}

void TermReader::fail(Error error) {
  note(std::move(error));
  size_ = 0;
  docids_.fill(kNoDoc);
}

void TermReader::load(std::uint32_t block) {
  block_ = block;
  auto decoded = list_->decode_docids(block, std::span(docids_).first<kBlockLength>());
  if (!decoded || corrupt()) [[unlikely]]
    return fail(decoded ? *error_ : std::move(decoded).error());
  size_ = list_->block_size(block);
  decoded_ += size_;
  if (size_ < kBlockLength) std::fill(docids_.begin() + size_, docids_.begin() + kBlockLength, kNoDoc);
}

void TermReader::load_frequencies(std::uint32_t block) {
  numbers_block_ = block;
  scored_ = false;
  auto decoded = list_->decode_frequencies(block, numbers_);
  if (decoded) [[likely]]
    return;
  numbers_.fill(1);
  note(std::move(decoded).error());  // the documents stay: whoever asks goes on through them
}

void TermReader::score_block() {
  if (numbers_block_ != block_) load_frequencies(block_);
  score_postings(docids_.data(), numbers_.data(), size_, lengths_, weight_, norm_, numbers_.data());
  scored_ = true;
}

Score TermReader::score_of(std::uint32_t block, std::uint32_t position, DocId docid) {
  if (numbers_block_ != block) load_frequencies(block);
  return scored_ ? numbers_[position] : scoring::contribution(weight_, numbers_[position], lengths_[docid], norm_);
}

std::vector<const engine::PlanTerm*> terms_with_postings(const engine::Plan& plan) {
  std::vector<const engine::PlanTerm*> terms;
  terms.reserve(plan.terms.size());
  for (const auto& term : plan.terms)
    if (term.list->postings.count() > 0) terms.push_back(&term);
  return terms;
}

}  // namespace frond::leaf::cpu
