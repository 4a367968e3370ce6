#pragma once
// Answers of _cat: a table of texts, for people or as JSON. Pure functions.
#include <string>
#include <string_view>
#include <vector>

#include "broker/elasticsearch/routes.h"

namespace frond::broker::elasticsearch {

struct CatTable {
  struct Column {
    std::string_view name, short_name;  // short ones between commas
    bool shown = true;                  // unless the parameter h names others
    bool right = false;                 // aligned
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};
inline constexpr std::string_view kCatParameters =
    "h,s,v,help,bytes,time,local,master_timeout,cluster_manager_timeout,ignore_unavailable,allow_no_indices,"
    "expand_wildcards,pri,health,include_unloaded_segments,ts";

// By the parameters h (columns), s (order), v (names first), format=json. 400: an unknown column in s.
frond::http::Response cat_response(CatTable table, const Call& call);

}  // namespace frond::broker::elasticsearch
