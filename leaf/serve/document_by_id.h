#pragma once
// Finds a document by its external id, for a FetchRequest with `id`: id, title and URL, and so much of its body as the
// request wants, up to wire::kMaxFetchedBodyBytes.
#include "common/base/deadline.h"
#include "common/wire/messages.h"
#include "leaf/generation/damage_log.h"
#include "leaf/generation/served_generation.h"

namespace frond::leaf::serve {

// Asks the leaf's partitions one after the other; reads the disk. A FetchReply with the document, or without any if no
// partition has it. An ErrorReply if one could not be asked (damage, the deadline) and no other has it. `damage` may be
// null.
wire::Reply find_document(const generation::ServedGeneration& generation, const wire::FetchRequest& request,
                          Deadline deadline, const Clock& clock, generation::DamageLog* damage);

}  // namespace frond::leaf::serve
