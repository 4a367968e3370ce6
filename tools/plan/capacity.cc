#include <algorithm>
#include <cmath>

#include "tools/plan/planner.h"

namespace frond::tools::plan {

LeafShare share_of(const Wanted& wanted, const Constants& constants, std::uint32_t shards) {
  constexpr double kMiB = 1 << 20;
  LeafShare share;
  share.documents = wanted.documents / shards;
  share.postings = share.documents * wanted.words * constants.postings_word;
  const double text = share.documents * wanted.words * constants.bytes_word * constants.text_bytes_byte;
  // Twice: the next generation is fetched before the last one goes.
  share.disk =
      2 * (share.postings * constants.generation_bytes_posting + text + share.documents * constants.document_bytes);
  const double lists = share.postings * constants.list_bytes_posting;
  share.memory = constants.leaf_mib * kMiB + share.documents * constants.leaf_bytes_document + lists;
  const double all_read =
      wanted.query_postings > 0 ? wanted.query_postings : wanted.documents * constants.query_postings_document;
  share.read_postings = all_read / shards;
  share.fixed_us =
      constants.leaf_us + wanted.k * (wanted.with_text ? constants.show_text_us : constants.show_us) / shards;
  if (wanted.gpus == 0) {
    share.work_us = (wanted.mode == Mode::kAnd ? constants.and_us_million : constants.or_us_million) *
                    std::pow(share.read_postings / 1e6, constants.work_power);
    return share;
  }
  share.fixed_us += std::max(0.0, constants.gpu_host_us - constants.leaf_us);
  share.gpu_us = share.read_postings * constants.gpu_us_posting;
  share.gpu_memory = constants.gpu_mib * kMiB + share.documents * constants.gpu_bytes_document +
                     share.postings * constants.gpu_bytes_posting;
  return share;
}

}  // namespace frond::tools::plan
