#pragma once
// Members of one clause's JSON object. Internal to this folder.
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "common/query/factor.h"
#include "common/schema/json.h"

namespace frond::query {

// Reads what a clause's object must and may have. The first thing that is wrong is kept as the error, with its path;
// what is read then is empty. Borrows the JSON.
class ClauseMembers {
 public:
  // `names`: all that there may be.
  ClauseMembers(const schema::Json& json, std::string path, std::initializer_list<std::string_view> names);

  std::string text(std::string_view name);           // must be there
  std::string optional_text(std::string_view name);  // "": absent
  bool flag(std::string_view name);                  // false: absent
  std::uint32_t whole(std::string_view name);        // 0: absent
  std::optional<schema::Value> scalar(std::string_view name);
  Factor factor(std::string_view name, double max, Factor absent);
  const schema::Json::Array& array(std::string_view name, bool required);  // its length has no bound yet
  const schema::Json& member(std::string_view name);                       // must be there

  const schema::Json* find(std::string_view name) const;
  std::string path(std::string_view name) const { return schema::member_path(path_, name); }
  void fail(const std::string& path, const std::string& what);
  void fail(Error error);
  bool ok() const { return !error_.has_value(); }
  Error error() const { return *error_; }

 private:
  const schema::Json::Object* object_;
  std::string path_;
  std::optional<Error> error_;
};

}  // namespace frond::query
