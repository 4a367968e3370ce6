#pragma once
// What a function_score query makes of the scores of the query in it, from the documents themselves. Pure functions.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/elasticsearch/error.h"
#include "common/elasticsearch/mapping.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxScoreFunctions = 64;

class FunctionScores {
 public:
  // `body`: of the query. 400; 501: what this API lacks, by name.
  static Expected<FunctionScores> read(const Json& body, std::int64_t now_ms);

  const Json& query() const { return query_; }  // that is scored
  // By its number; null: it is of all documents.
  const Json& filter(std::size_t function) const { return functions_[function].filter; }
  // 400: a function reads a field that the index lacks.
  Expected<void> check_fields(const Mapping& mapping) const;
  std::size_t size() const { return functions_.size(); }

  // `source`: the document. `matched`: of each function's filter. 400: a value that a function needs is missing.
  Expected<double> score(double of_query, const Json& source, const Mapping& mapping,
                         const std::vector<bool>& matched) const;
  std::optional<double> min_score() const { return min_score_; }

 private:
  struct Function {
    Json filter = nullptr;
    double weight = 1;
    Json body = nullptr;    // null: the weight alone
    std::string kind = {};  // "field_value_factor", "gauss", "exp", "linear"
    std::string field = {};
  };
  static Expected<Function> function_in(const Json& json);
  Expected<double> value_of_function(const Function& function, const Json& source, const Mapping& mapping) const;
  Expected<double> decayed(const Function& function, const MappedField& field, const std::vector<double>& values) const;

  Json query_ = {{"match_all", Json::object()}};
  double boost_ = 1, max_boost_ = 3.4028235e38;
  std::string score_mode_ = "multiply", boost_mode_ = "multiply";
  std::optional<double> min_score_;
  std::vector<Function> functions_;
  std::int64_t now_ms_ = 0;
};

// The numbers of a field in a document, in their order; of dates milliseconds.
std::vector<double> numbers_in(const Json& source, const MappedField& field);

}  // namespace frond::broker::elasticsearch
