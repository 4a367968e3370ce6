#pragma once
// What makes a copied list ready for kernels: its block entries and table, and a proof that every block decodes to what
// the blob's index says. After it no kernel checks anything of the list again: device memory does not change.
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/list_image.h"

namespace frond::leaf::gpu {

// The image's pieces have been put at `at` in the same stream. Writes entries, table, and the number of wrong blocks to
// the word that errors_of() names, all in the stream.
//
// A block is wrong where its numbers do not lie in their stream, its docIDs do not ascend from the block before to the
// last docID of the index, are no documents, or a frequency is 0. Any bytes are survived; an image with wrong blocks
// must not be given to other kernels.
Result<void> admit(const ListImage& image, std::byte* at, device::StreamHandle stream);

// Where admit() counts wrong blocks: a 32-bit word in the image.
inline std::byte* errors_of(std::byte* at) { return at + offsetof(BlockEntry, docids); }

}  // namespace frond::leaf::gpu
