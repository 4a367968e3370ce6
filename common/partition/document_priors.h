#pragma once
// The static priors of a partition's documents (common/scoring/prior.h), and how large they are at most in a range of
// documents, which bounds scores. Immutable. Takes 4 bytes a document, and as many for each kStretch documents.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/ids.h"
#include "common/scoring/prior.h"

namespace frond::partition {

class DocumentPriors {
 public:
  static constexpr std::uint32_t kStretch = 256;

  // By docID, for all documents of the partition; at least one.
  explicit DocumentPriors(std::vector<scoring::Prior> priors) : priors_(std::move(priors)) {
    maxima_.resize((priors_.size() + kStretch - 1) / kStretch);
    for (std::size_t i = 0; i < priors_.size(); ++i)
      maxima_[i / kStretch] = std::max(maxima_[i / kStretch], priors_[i]);
    for (const scoring::Prior prior : maxima_) max_ = std::max(max_, prior);
  }

  scoring::Prior of(DocId docid) const { return priors_[docid]; }
  std::span<const scoring::Prior> all() const { return priors_; }
  scoring::Prior max() const { return max_; }
  // At least the prior of every document first .. last, which may lie past the last document. Looks at kMaxLooks
  // stretches at most; for longer ranges it is max().
  scoring::Prior max_in(DocId first, DocId last) const {
    const std::size_t from = first / kStretch, to = std::min<std::size_t>(last / kStretch + 1, maxima_.size());
    if (from >= to) return 0;
    if (to - from > kMaxLooks) return max_;
    return *std::max_element(maxima_.begin() + static_cast<std::ptrdiff_t>(from),
                             maxima_.begin() + static_cast<std::ptrdiff_t>(to));
  }

 private:
  static constexpr std::size_t kMaxLooks = 64;

  std::vector<scoring::Prior> priors_, maxima_;
  scoring::Prior max_ = 0;
};

}  // namespace frond::partition
