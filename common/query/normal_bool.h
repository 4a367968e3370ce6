#pragma once
// The normal form of a bool whose parts are normal. Internal to this folder.
#include <algorithm>
#include <vector>

#include "common/query/clause.h"
#include "common/schema/schema.h"

namespace frond::query {

// In the order of their JSON; `once`: equal ones are one.
void sort_by_json(std::vector<Clause>& clauses, bool once);

// In order, and each once.
template <class T>
void sort_once(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Fill in the parts, then take the clause, once.
class NormalBool {
 public:
  // `scored`: whether `must` and `should` add scores; the parts were made for that.
  NormalBool(const schema::Schema& schema, bool scored) : schema_(schema), scored_(scored) {}

  std::vector<Clause> must, should, must_not, filter;
  MinimumMatch minimum;  // of `should`, as it is meant: no default

  Clause clause() &&;

 private:
  bool is_auto() const { return minimum.kind == MinimumMatch::Kind::kAllFirst; }
  void settle_minimum();
  void reduce_should();
  void merge_terms();
  void move_should_up();
  void flatten_must();
  void flatten_must_not();
  void flatten_filter();

  const schema::Schema& schema_;
  const bool scored_;
  bool nothing_ = false;  // no document can match
};

}  // namespace frond::query
