#pragma once
// Reads members of JSON objects that come from outside. Internal to this folder.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/repository/manifest.h"
#include "common/text/analyzer.h"

namespace frond::repository {

inline constexpr std::uint64_t kMaxNumber = std::uint64_t{1} << 62;  // of members

// "a, b, c".
std::string listed(std::span<const std::string_view> names);

// Of one object. The first member that is missing, or of another type than it should, is kept as the error, by its
// path; what is read then is 0 or empty. Borrows the object and the error.
class Members {
 public:
  Members(const nlohmann::json& object, std::string path, std::string& error);

  std::uint64_t number(const char* name);  // at most kMaxNumber
  double real(const char* name);           // finite
  std::string text(const char* name);
  bool flag(const char* name);
  Members object(const char* name);
  const nlohmann::json& array(const char* name);
  std::string safe_name(const char* name);  // is_safe_name(), manifest.h
  bool has(const char* name) const { return find(name) != nullptr; }
  const nlohmann::json* find(const char* name) const;  // null: there is none

  void fail(std::string_view name, std::string_view what);
  bool ok() const { return error_.empty(); }
  const std::string& path() const { return path_; }

 private:
  const nlohmann::json& get(const char* name, bool (nlohmann::json::*is)() const noexcept, std::string_view type);
  const nlohmann::json& object_;
  std::string path_;
  std::string& error_;
};

// The member `analyzer` of a manifest. After an error, which `members` keeps, the outcome is any valid one.
text::AnalyzerConfig read_analyzer(Members members);
nlohmann::json analyzer_to_json(const text::AnalyzerConfig& analyzer);

// What stands beside a manifest: its signature, without the text.
Signature read_signature(Members members);
nlohmann::json signature_to_json(const Signature& signature);

}  // namespace frond::repository
