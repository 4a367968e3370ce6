#pragma once
// The output of `frond bench intersect`: tables or JSON, with the papers' figures beside ours.
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tools/bench/intersection_timing.h"

namespace frond::tools::bench {

// All kinds of methods with paper and section.
void print_methods();
nlohmann::ordered_json methods_as_json();

// Print a set's line, the head of its table, and a row: the timing of the method called `name`.
void print_intersection_set(const IntersectionSet& set);
void print_intersection_head();
void print_intersection(const IntersectionSet& set, const std::string& name, const IntersectionTiming& timing);
nlohmann::ordered_json intersection_as_json(const IntersectionSet& set, const std::string& processor,
                                            const std::string& name, const IntersectionTiming& timing);

// Prints the table of list_linearity.h.
void print_linearity(const IntersectionSet& set, unsigned threads);

}  // namespace frond::tools::bench
