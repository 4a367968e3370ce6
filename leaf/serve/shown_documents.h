#pragma once
// The documents of a page in the reply to the search that found them, so that a broker with one leaf needs no second
// round trip.
#include <memory>

#include "common/base/deadline.h"
#include "common/wire/messages.h"
#include "leaf/serve/document_handler.h"
#include "leaf/serve/search_query.h"

namespace frond::leaf::serve {

// Wraps `done`: adds the documents that the request wants shown to the reply, then calls `done`. The reply goes without
// documents, and the broker fetches them, if a partition is unsearched, if less than a tenth of the budget is left, or
// if they cannot be read. If the request wants none, `done` itself. `documents` and `clock` outlive the search.
// `kept` keeps alive what `deadline` points to: tasks of the search may still ask for it when `done` has gone on with
// the documents.
SearchQuery::Done with_documents(DocumentHandler& documents, const wire::SearchRequest& request, Deadline deadline,
                                 const Clock& clock, std::shared_ptr<const void> kept, SearchQuery::Done done);

}  // namespace frond::leaf::serve
