#include "broker/http/search_parameters.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "broker/http/parameter_table.h"
#include "common/text/json_surrogates.h"

namespace frond::broker::http {
namespace {

// Collects parameters one by one, then checks them together.
class Builder {
 public:
  // `counts`: /v1/count.
  explicit Builder(bool counts) : counts_(counts) { parsed.parameters.count = counts; }
  // False: `parsed` has its error.
  bool set(std::string_view name, std::string_view value) {
    const Parameter* const parameter = find_parameter(name);
    if (parameter == nullptr) return fail(name, "is not a parameter of a search");
    if (counts_ && name == "count") return fail(name, "is not a parameter of this route");
    if (std::exchange(seen_[parameter - kParameters], true)) return fail(name, "is given twice");
    const auto problem = store(*parameter, value, parsed.parameters);
    return problem ? fail(name, *problem) : true;
  }
  bool fail(std::string_view name, std::string_view detail) {
    parsed.error = {std::string(name), std::string(name) + (name.empty() ? "" : " ") + std::string(detail)};
    return false;
  }
  ParsedSearch finish() {
    auto& p = parsed.parameters;
    for (const auto& parameter : kParameters)
      if (parameter.required && !seen_[&parameter - kParameters]) {
        fail(parameter.name, "is missing");
        return std::move(parsed);
      }
    if (p.count && !become_count()) return std::move(parsed);
    if (p.offset + p.k > kMaxDepth)
      fail("offset", "+ k is " + std::to_string(p.offset + p.k) + ", more than " + std::to_string(kMaxDepth));
    else
      parsed.ok = true;
    return std::move(parsed);
  }
  ParsedSearch parsed;

 private:
  // False: `parsed` has its error.
  bool become_count() {
    auto& p = parsed.parameters;
    for (const auto& parameter : kParameters)
      if (parameter.of_hits && seen_[&parameter - kParameters])
        return fail(parameter.name, "is not a parameter of a count, which has no hits");
    if (p.mode == wire::Mode::kAuto) {
      if (seen_[find_parameter("mode") - kParameters]) return fail("mode", "must be one of and, or for a count");
      p.mode = wire::Mode::kAnd;
    }
    p.k = p.offset = 0;
    p.rank = wire::Rank::kNone;
    p.fields = 0;
    return true;
  }

  const bool counts_;
  std::array<bool, std::size(kParameters)> seen_{};
};

// Takes a JSON object's members one by one. A parsed document would keep only the last of several members of one name,
// where another reader of the same text may take the first; here that is an error. Stops at the first error.
class JsonReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonReader(Builder& builder) : builder_(builder) {}

  bool null() override { return wrong_type(); }
  bool boolean(bool value) override { return takes<FlagValue>() ? take(value ? "true" : "false") : wrong_type(); }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override {
    return takes<RealValue>() ? take(text) : wrong_type();
  }
  bool string(string_t& value) override {
    return takes<IntegerValue>() || takes<RealValue>() || takes<FlagValue>() ? wrong_type() : take(value);
  }
  bool binary(binary_t&) override { return wrong_type(); }  // JSON has none
  bool key(string_t& name) override {
    name_ = name;
    return true;
  }
  bool start_object(std::size_t) override { return std::exchange(inside_, true) ? wrong_type() : true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return wrong_type(); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    constexpr int kOutOfRange = 406;  // a number larger than any double, which is JSON
    if (error.id == kOutOfRange) return builder_.fail(name_, "is a number out of range");
    return builder_.fail("", "the body is not valid JSON");
  }

 private:
  template <class Value>
  bool takes() const {
    const Parameter* const parameter = find_parameter(name_);
    return parameter != nullptr && std::holds_alternative<Value>(parameter->value);
  }
  bool number(const std::string& value) {
    return takes<IntegerValue>() || takes<RealValue>() ? take(value) : wrong_type();
  }
  bool take(std::string_view value) {
    return inside_ ? builder_.set(name_, value) : builder_.fail("", "the body is not a JSON object");
  }
  bool wrong_type() {
    if (!inside_) return builder_.fail("", "the body is not a JSON object");
    return find_parameter(name_) != nullptr ? builder_.fail(name_, "is of a wrong type") : builder_.set(name_, "");
  }

  Builder& builder_;
  bool inside_ = false;
  std::string name_;  // of the member whose value comes next
};

ParsedSearch parse_query(std::string_view query_string, bool counts) {
  Builder builder(counts);
  const auto pairs = frond::http::parse_query(query_string);
  if (!pairs) {
    builder.fail("", "the query string: " + pairs.error().message());
    return std::move(builder.parsed);
  }
  for (const auto& [name, value] : *pairs)
    if (!builder.set(name, value)) return std::move(builder.parsed);
  return builder.finish();
}

ParsedSearch parse_json(std::string_view json, bool counts) {
  Builder builder(counts);
  JsonReader reader(builder);
  if (!nlohmann::json::sax_parse(text::with_whole_surrogates(json), &reader)) return std::move(builder.parsed);
  return builder.finish();
}
}  // namespace

frond::http::Response ParameterError::response() const {
  return frond::http::problem(400, "Bad request", detail, parameter);
}

ParsedSearch parse_search_query(std::string_view query_string) { return parse_query(query_string, false); }
ParsedSearch parse_search_json(std::string_view json) { return parse_json(json, false); }
ParsedSearch parse_count_query(std::string_view query_string) { return parse_query(query_string, true); }
ParsedSearch parse_count_json(std::string_view json) { return parse_json(json, true); }

}  // namespace frond::broker::http
