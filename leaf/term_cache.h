#pragma once
// The leaf's table of terms, which its searches share.
#include <memory>

#include "common/metrics/registry.h"
#include "leaf/options.h"
#include "leaf/serve/term_table.h"

namespace frond::leaf {

// Makes the table that the options ask for, and exports its state as metrics.
std::shared_ptr<serve::TermTable> make_term_table(const Options& options, metrics::Registry& registry);

}  // namespace frond::leaf
