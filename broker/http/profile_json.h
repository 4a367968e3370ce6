#pragma once
// The part `,"profile":…` of an answer: where its time went, by leaf and partition, and how each leaf ran the search.
// Pure function.
#include <string>

#include "broker/merge/page.h"

namespace frond::broker::http {

void append_profile(std::string& out, const merge::Page::Profile& profile);

}  // namespace frond::broker::http
