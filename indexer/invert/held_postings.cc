#include "indexer/invert/held_postings.h"

#include "common/base/check.h"

namespace frond::indexer::invert {
namespace {

class JoinedPostings final : public runs::PostingSource {
 public:
  explicit JoinedPostings(std::vector<std::unique_ptr<runs::PostingSource>> sources) : sources_(std::move(sources)) {}

  Result<bool> next_term() override {
    if (!begun_)
      FROND_TRY(begin());
    else if (least_ != nullptr)
      FROND_TRY(advance(least_));
    least_ = nullptr;
    for (const auto& source : open_)
      if (least_ == nullptr || source->term() < least_->term()) least_ = source;
    return least_ != nullptr;
  }
  std::string_view term() const override { return least_->term(); }
  Result<bool> read(std::vector<DocId>& docids, std::vector<Frequency>& frequencies, std::size_t wanted) override {
    return least_->read(docids, frequencies, wanted);
  }

 private:
  Result<void> begin() {
    begun_ = true;
    for (const auto& source : sources_)
      if (FROND_TRY(source->next_term())) open_.push_back(source.get());
    return {};
  }
  Result<void> advance(runs::PostingSource* source) {
    if (!FROND_TRY(source->next_term())) std::erase(open_, source);
    return {};
  }

  std::vector<std::unique_ptr<runs::PostingSource>> sources_;
  std::vector<runs::PostingSource*> open_;  // those that have a term
  runs::PostingSource* least_ = nullptr;    // that has the term at hand
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<runs::PostingSource> joined(std::vector<std::unique_ptr<runs::PostingSource>> sources) {
  FROND_CHECK(!sources.empty());
  if (sources.size() == 1) return std::move(sources.front());
  return std::make_unique<JoinedPostings>(std::move(sources));
}

}  // namespace frond::indexer::invert
