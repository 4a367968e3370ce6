#include "common/keys/key_file.h"

#include <set>
#include <string>
#include <utility>

#include "common/base/lines.h"

namespace frond::keys {

Result<std::vector<KeyEntry>> parse_key_file(std::string_view text) {
  std::vector<KeyEntry> entries;
  std::set<std::string> names;
  std::set<tls::Sha256> digests;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (const auto first = line->find_first_not_of(" \t"); first == std::string_view::npos || (*line)[first] == '#')
      continue;
    const auto wrong = [&](Error error) { return std::move(error).within("line " + std::to_string(lines.number())); };
    auto entry = KeyEntry::parse(*line);
    if (!entry) return wrong(std::move(entry).error());
    if (!names.insert(entry->name).second) return wrong(Error(Code::kInvalid, "its name stands there twice"));
    if (!digests.insert(entry->digest).second) return wrong(Error(Code::kInvalid, "its key stands there twice"));
    if (entries.size() == kMaxKeys)
      return wrong(Error(Code::kInvalid, "there are more than " + std::to_string(kMaxKeys) + " keys"));
    entries.push_back(*std::move(entry));
  }
  if (entries.empty()) return Error(Code::kInvalid, "there is no key in it");
  return entries;
}

}  // namespace frond::keys
