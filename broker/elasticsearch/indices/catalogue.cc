#include "broker/elasticsearch/indices/catalogue.h"

#include <algorithm>

#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::size_t kMaxNameBytes = 128;  // of a collection

bool is_pattern(std::string_view text) { return text.find('*') != std::string_view::npos; }

// What was taken of the expression until now: an index, and by which of its names.
class Selection {
 public:
  explicit Selection(const Indices& indices) : indices_(indices) {}

  // Returns whether anything has the name, or matches the pattern.
  bool add(std::string_view wanted, bool pattern, bool by_alias) {
    bool found = false;
    const auto has = [&](std::string_view name) { return pattern ? matches_pattern(wanted, name) : wanted == name; };
    for (const auto& [name, index] : indices_) {
      if (has(name)) {
        found = true;
        chosen_[name] = {&index, {}};
        whole_[name] = true;
      }
      if (!by_alias) continue;
      for (const auto& [alias, about] : index.aliases.items()) {
        if (!has(alias)) continue;
        found = true;
        Meant& meant = chosen_[name];
        meant.index = &index;
        if (whole_[name]) continue;
        if (about.contains("filter"))
          meant.filters.push_back(about["filter"]);
        else
          whole_[name] = true, meant.filters.clear();
      }
    }
    return found;
  }
  void remove(std::string_view wanted) {
    const auto gone = [&](const auto& one) { return matches_pattern(wanted, one.first); };
    std::erase_if(chosen_, gone);
    std::erase_if(whole_, gone);
  }
  std::vector<Meant> take() && {
    std::vector<Meant> all;
    for (auto& [name, meant] : chosen_) all.push_back(std::move(meant));
    return all;
  }

 private:
  const Indices& indices_;
  std::map<std::string, Meant, std::less<>> chosen_;
  std::map<std::string, bool, std::less<>> whole_;  // named without a filter
};

ApiError invalid_name(std::string_view name, std::string_view why) {
  return {.type = "invalid_index_name_exception",
          .reason = "Invalid index name [" + std::string(name) + "], " + std::string(why),
          .details = {{"index", name}, {"index_uuid", "_na_"}}};
}

}  // namespace

void Catalogue::refuse(const std::string& name, std::string reason) {
  forget_refusal(name);
  const MutexLock lock(mutex_);
  refused_.emplace_back(name, std::move(reason));
  if (refused_.size() > kMostRefused) refused_.pop_front();
}
void Catalogue::forget_refusal(std::string_view name) {
  const MutexLock lock(mutex_);
  std::erase_if(refused_, [&](const auto& one) { return one.first == name; });
}
std::optional<std::string> Catalogue::refusal(std::string_view name) const {
  const MutexLock lock(mutex_);
  const auto found = std::ranges::find(refused_, name, [](const auto& one) { return std::string_view(one.first); });
  return found == refused_.end() ? std::nullopt : std::optional(found->second);
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool matches_any(std::string_view patterns, std::string_view text) {
  const auto all = split_list(patterns);
  return std::ranges::any_of(all, [&](std::string_view one) { return matches_pattern(one, text); });
}

std::vector<std::string_view> split_list(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

bool is_listed(std::string_view list, std::string_view name) {
  const auto names = split_list(list);
  return std::ranges::find(names, name) != names.end();
}

Expected<std::vector<Meant>> resolve(const Indices& indices, std::string_view expression,
                                     const ExpressionRules& rules) {
  Selection chosen(indices);
  bool patterns = false;
  auto parts = split_list(expression);
  if (parts.empty() && !expression.empty())
    return illegal_argument("The expression [" + std::string(expression.substr(0, 200)) + "] names no index");
  if (parts.empty()) parts.emplace_back("_all");
  for (const std::string_view part : parts) {
    if (part == "_all" || (rules.expand_wildcards && is_pattern(part) && !part.starts_with('-'))) {
      patterns = true;
      const bool found = chosen.add(part == "_all" ? "*" : part, /*pattern=*/true, rules.aliases);
      if (!found && !rules.allow_no_indices) return index_not_found(part);
    } else if (patterns && part.starts_with('-')) {
      chosen.remove(part.substr(1));
    } else if (!chosen.add(part, /*pattern=*/false, rules.aliases) && !rules.ignore_unavailable) {
      return index_not_found(part);
    }
  }
  auto meant = std::move(chosen).take();
  if (meant.empty() && !rules.allow_no_indices) return index_not_found(expression);
  return meant;
}

Expected<const Index*> write_index(const Indices& indices, std::string_view name) {
  if (const auto found = indices.find(name); found != indices.end()) return &found->second;
  const Index* marked = nullptr;
  const Index* only = nullptr;
  std::size_t have = 0;
  for (const auto& [index_name, index] : indices) {
    const auto alias = index.aliases.find(name);
    if (alias == index.aliases.end()) continue;
    ++have;
    only = &index;
    if (flag_or(*alias, "is_write_index")) marked = &index;
    if (!flag_or(*alias, "is_write_index", /*otherwise=*/true)) only = nullptr;
  }
  if (have == 0) return static_cast<const Index*>(nullptr);
  if (marked != nullptr) return marked;
  if (have == 1 && only != nullptr) return only;
  return illegal_argument("no write index is defined for alias [" + std::string(name) +
                          "]. The write index may be explicitly disabled using is_write_index=false or the alias "
                          "points to multiple indices without one being designated as a write index");
}

Expected<void> check_index_name(std::string_view name) {
  if (name.empty() || name == "." || name == "..") return invalid_name(name, "must not be '.' or '..'");
  if (std::ranges::any_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }))
    return invalid_name(name, "must be lowercase");
  if (name.find_first_of(" \"*\\<|,>/?") != name.npos)
    return invalid_name(name, "must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?]");
  if (name.find('#') != name.npos) return invalid_name(name, "must not contain '#'");
  if (name.find(':') != name.npos) return invalid_name(name, "must not contain ':'");
  if (name.front() == '_' || name.front() == '-' || name.front() == '+')
    return invalid_name(name, "must not start with '_', '-', or '+'");
  // What collections allow is less.
  if (name.size() > kMaxNameBytes) return invalid_name(name, "index name is too long, (more than 128 bytes)");
  if (name.front() == '.' || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") != name.npos)
    return invalid_name(
        name, "names with other characters than a-z, 0-9, '.', '_' and '-', or with a dot first, are not supported");
  return {};
}

}  // namespace frond::broker::elasticsearch
