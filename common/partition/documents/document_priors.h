#pragma once
// The static priors of a partition's documents (common/scoring/prior.h), and how large they are at most in a range of
// documents, which bounds scores. Immutable; copies share everything. Takes 4 bytes a document, and as many for each
// kStretch documents.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/ids.h"
#include "common/scoring/prior.h"

namespace frond::partition {

class DocumentPriors {
 public:
  static constexpr std::uint32_t kStretch = scoring::kPriorStretch;
  static constexpr std::uint32_t kRegion = scoring::kPriorRegion;
  struct Arrays {
    std::vector<scoring::Prior> priors;   // by docID
    std::vector<scoring::Prior> maxima;   // of each kStretch documents
    std::vector<scoring::Prior> regions;  // of each kRegion documents
  };

  // By docID, for all documents of the partition.
  // REQUIRES: at least one.
  explicit DocumentPriors(std::vector<scoring::Prior> priors) {
    auto arrays = std::make_shared<Arrays>();
    arrays->priors = std::move(priors);
    arrays->maxima = maxima_of(arrays->priors, kStretch);
    arrays->regions = maxima_of(arrays->maxima, kRegion / kStretch);
    max_ = *std::max_element(arrays->regions.begin(), arrays->regions.end());
    priors_ = arrays->priors.data();
    arrays_ = std::move(arrays);
  }

  scoring::Prior of(DocId docid) const { return priors_[docid]; }
  std::span<const scoring::Prior> all() const { return arrays_->priors; }
  // All of it. Its address names the priors.
  const std::shared_ptr<const Arrays>& arrays() const { return arrays_; }
  scoring::Prior max() const { return max_; }
  // At least the prior of every document first .. last, which may lie past the last document. Looks at kMaxLooks
  // stretches at most; for longer ranges it is max().
  scoring::Prior max_in(DocId first, DocId last) const {
    const std::size_t from = first / kStretch, to = std::min<std::size_t>(last / kStretch + 1, arrays_->maxima.size());
    if (from >= to) return 0;
    if (to - from > kMaxLooks) return max_;
    return *std::max_element(arrays_->maxima.data() + from, arrays_->maxima.data() + to);
  }

 private:
  static constexpr std::size_t kMaxLooks = 64;

  static std::vector<scoring::Prior> maxima_of(std::span<const scoring::Prior> priors, std::uint32_t step) {
    std::vector<scoring::Prior> maxima((priors.size() + step - 1) / step);
    for (std::size_t i = 0; i < priors.size(); ++i) maxima[i / step] = std::max(maxima[i / step], priors[i]);
    return maxima;
  }

  std::shared_ptr<const Arrays> arrays_;
  const scoring::Prior* priors_ = nullptr;
  scoring::Prior max_ = 0;
};

}  // namespace frond::partition
