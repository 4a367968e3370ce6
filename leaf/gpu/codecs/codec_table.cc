#include "leaf/gpu/codecs/served_codecs.h"

#include <algorithm>
#include <iterator>

namespace frond::leaf::gpu::codecs {
namespace {

struct Entry {
  std::uint8_t codec;  // its id, of docIDs and of frequencies
  Result<void> (*search)(const BatchOnDevice& batch, device::StreamHandle stream);
};

#define FROND_ENTRY(function, id, docids, frequencies) {id, search_##function},
constexpr Entry kEntries[] = {{kMixedCodecs, search_mixed}, FROND_GPU_CODECS(FROND_ENTRY)};
#undef FROND_ENTRY

const Entry* entry_of(std::uint8_t codec) {
  const auto* found = std::find_if(std::begin(kEntries), std::end(kEntries),
                                   [codec](const Entry& entry) { return entry.codec == codec; });
  return found == std::end(kEntries) ? nullptr : found;
}

}  // namespace

bool is_served(std::uint8_t codec) {
  return codec != kMixedCodecs && (codec == kPackedCodecs || entry_of(codec) != nullptr);
}

ListCodecs kernel_for(std::uint8_t docids, std::uint8_t frequencies) {
  return docids == frequencies ? docids : kMixedCodecs;
}

Result<void> search_lists(const BatchOnDevice& batch, device::StreamHandle stream) {
  return entry_of(batch.priors || batch.clauses ? kMixedCodecs : batch.codecs)->search(batch, stream);
}

}  // namespace frond::leaf::gpu::codecs
