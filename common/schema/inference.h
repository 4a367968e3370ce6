#pragma once
// --schema infer: from the members of documents to a schema, with reasons. The outcome depends on the set of documents
// only, not on their order nor on how they were spread over several objects. Memory is bounded by kMaxInferredNames.
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/schema/schema.h"

namespace frond::schema {

inline constexpr std::size_t kMaxInferredNames = 4096;  // members that are counted; the last in byte order are dropped

// What was chosen for one member, and why.
struct InferredField {
  std::string name;
  std::string reason;  // "an integer in each of 12 documents", "not a field: …"
  bool chosen = false;
};

struct InferredSchema {
  Schema schema;                      // passes check(); text fields first, then columns, by name
  std::vector<InferredField> fields;  // of all counted members, by name
};

// One thread.
class SchemaInference {
 public:
  // The next document's members follow.
  void begin_document() { ++documents_; }
  // A member of the document. `values`: those of an array, or one (`is_array` false). A member of null is not told.
  void add(std::string_view name, std::span<const Value> values, bool is_array);
  // A member that has no type: `text`, which can be read as `value`.
  void add_cell(std::string_view name, const std::string& text, const Value& value);
  // A member that is an object, an array of other things than scalars, or more than a column takes.
  void add_nested(std::string_view name);

  // What the usual names of text are ("title", "body") and those that need no entry ("id", "url") is the caller's
  // knowledge: `texts` are text whatever their strings look like, `skipped` are no fields.
  InferredSchema infer(std::span<const std::string_view> texts, std::span<const std::string_view> skipped) const;

 private:
  struct Counts {
    std::uint64_t documents = 0, arrays = 0, nested = 0;
    std::uint64_t values = 0, integers = 0, numbers = 0, booleans = 0, strings = 0, dates = 0;
    std::uint64_t words = 0, max_bytes = 0;   // of the strings
    std::set<std::uint64_t> smallest_hashes;  // of the strings, for the number of different ones
  };
  struct Choice;

  Counts* counts_of(std::string_view name);
  void count_string(Counts& counts, const std::string& text);
  static Choice choose(const Counts& counts, bool usual_text);

  std::uint64_t documents_ = 0;
  std::map<std::string, Counts, std::less<>> members_;
};

}  // namespace frond::schema
