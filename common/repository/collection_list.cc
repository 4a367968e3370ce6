#include "common/repository/collection_list.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "common/http/client/client.h"
#include "common/net/address.h"
#include "common/objects/object_store.h"
#include "common/tls/certificates.h"

namespace frond::repository {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kServedBelow = "/repository";
constexpr std::size_t kMaxAnswer = 1 << 20;

Result<std::vector<std::string>> in_folder(const fs::path& root) {
  std::vector<std::string> names;
  std::error_code failed, unknown;
  fs::directory_iterator at(root, failed);
  for (; !failed && at != fs::directory_iterator(); at.increment(failed))
    // The last is of a collection that a service with --state has made.
    if (std::ranges::any_of(std::initializer_list<const char*>{"CURRENT", "log", "settings.json"},
                            [&](const char* name) { return fs::exists(at->path() / name, unknown); }))
      names.push_back(at->path().filename().string());
  if (failed) return Error(Code::kUnavailable, root.string() + ": " + failed.message());
  return names;
}

Result<std::vector<std::string>> of_service(std::string_view address, const HttpReading& http) {
  net::Url url = FROND_TRY(net::parse_url(address));
  while (url.path.ends_with('/')) url.path.pop_back();
  if (!url.path.ends_with(kServedBelow))
    return Error(Code::kInvalid,
                 std::string(address) + " is not the repository of an indexer's service, which ends in " +
                     std::string(kServedBelow) + ": who else serves it can't tell which collections it has");
  url.path.resize(url.path.size() - kServedBelow.size());
  std::shared_ptr<const tls::Trust> trust;
  if (url.tls) trust = FROND_TRY(tls::Trust::load(http.tls_ca));
  std::string body;
  FROND_TRY(
      http::get(url, trust.get(), "/v1/collections", {.max_bytes = kMaxAnswer}, [&](ByteView piece) -> Result<void> {
        body.append(reinterpret_cast<const char*>(piece.data()), piece.size());
        return {};
      }));
  const auto listed = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
  const auto wrong = [&] {
    return Error(Code::kCorrupt, std::string(address) + ": the list of collections is no list");
  };
  if (!listed.is_object() || !listed.contains("collections") || !listed["collections"].is_array()) return wrong();
  std::vector<std::string> names;
  for (const auto& one : listed["collections"]) {
    if (!one.is_object() || !one.contains("collection") || !one["collection"].is_string()) return wrong();
    names.push_back(one["collection"].get<std::string>());
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> list_collections(std::string_view directory_or_url, const HttpReading& http,
                                                  const objects::Access& objects) {
  std::vector<std::string> names;
  if (objects::is_object_place(directory_or_url)) {
    const auto store = FROND_TRY(objects::ObjectStore::open(directory_or_url, objects));
    names = FROND_TRY(store->list("", /*folders=*/true)).folders;
  } else if (directory_or_url.find("://") != directory_or_url.npos) {
    names = FROND_TRY(of_service(directory_or_url, http));
  } else {
    names = FROND_TRY(in_folder(fs::path(directory_or_url)));
  }
  std::erase_if(names, [](const std::string& name) { return !is_safe_name(name); });
  std::ranges::sort(names);
  return names;
}

}  // namespace frond::repository
