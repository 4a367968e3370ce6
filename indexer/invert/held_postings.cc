#include "indexer/invert/held_postings.h"

#include "common/base/check.h"
#include "indexer/invert/partition_runs.h"

namespace frond::indexer::invert {
namespace {

class JoinedPostings final : public runs::PostingSource {
 public:
  explicit JoinedPostings(std::vector<std::unique_ptr<HeldChains>> sources) : sources_(std::move(sources)) {}

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

  std::vector<std::unique_ptr<HeldChains>> sources_;
  std::vector<runs::PostingSource*> open_;  // those that have a term
  runs::PostingSource* least_ = nullptr;    // that has the term at hand
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<runs::PostingSource> joined(std::vector<std::unique_ptr<HeldChains>> sources) {
  FROND_CHECK(!sources.empty());
  if (sources.size() == 1) return std::move(sources.front());
  return std::make_unique<JoinedPostings>(std::move(sources));
}

Result<std::vector<runs::RunFile>> write_runs(HeldChains& held, const std::filesystem::path& folder,
                                              const std::string& label, std::uint32_t partitions,
                                              std::size_t frame_bytes) {
  PartitionRuns runs(folder, label, partitions, frame_bytes);
  while (FROND_TRY(held.next_term())) {
    const std::string_view term = held.term();
    for_each_posting(held.chain(), held.arena(), [&](std::uint32_t number, Frequency frequency) {
      runs.add(term, held.first_document() + number, frequency);
    });
    FROND_TRY(runs.end_term(term));
  }
  std::vector<runs::RunFile> written;
  FROND_TRY(runs.finish(written));
  return written;
}

}  // namespace frond::indexer::invert
