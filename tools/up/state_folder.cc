#include "tools/up/state_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/files/read.h"
#include "common/files/write.h"
#include "tools/commands/commands.h"

namespace frond::tools::up {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxOrigin = 1 << 20;
// How long the programs of one that was killed may take to end.
constexpr std::chrono::seconds kOthersEnd{40};

// The process that took the lock last; 0: unknown.
pid_t holder_of(const fs::path& lock) {
  const auto text = files::read_text(lock, 64);
  const auto pid = text ? number_in<int>(std::string_view(*text).substr(0, text->find('\n'))) : std::nullopt;
  return pid.value_or(0);
}

// Of a process that was killed the programs still end: they are waited for.
Result<files::Descriptor> locked(const fs::path& path, const StateFolder::Say& say) {
  const auto until = std::chrono::steady_clock::now() + kOthersEnd;
  for (bool told = false;; told = true) {
    auto lock = FROND_TRY(files::try_lock_file(path));
    if (lock) {
      const std::string text = std::to_string(::getpid()) + "\n";
      if (::ftruncate(lock->get(), 0) != 0) return files::system_error(Code::kUnavailable, "writing", path);
      FROND_TRY(files::write_at(*lock, 0, as_bytes(text), path));
      return std::move(*lock);
    }
    const pid_t holder = holder_of(path);
    const bool alive = holder > 0 && ::kill(holder, 0) == 0;
    const std::string folder = path.parent_path().string();
    const std::string process = holder > 0 ? ", process " + std::to_string(holder) : std::string();
    if (alive) return Error(Code::kUnavailable, folder + " is in use: frond up runs there" + process);
    if (std::chrono::steady_clock::now() > until)
      return Error(Code::kUnavailable, folder + " is in use: programs run there whose frond up was killed" + process +
                                           ", and have not ended in " + std::to_string(kOthersEnd.count()) + " s");
    if (!told) say(folder + ": waiting until the programs have ended whose frond up was killed" + process);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// Whether the key was made in it, or it has nothing, or what a start that was killed left.
bool is_ours(const fs::path& root, std::error_code& failed) {
  if (fs::exists(root / "api.entry", failed)) return true;
  constexpr std::string_view kOwn[] = {"LOCK", "repository", "leaf", "run", "log", "api.key"};
  for (fs::directory_iterator at(root, failed), end; !failed && at != end; at.increment(failed))
    if (std::ranges::find(kOwn, at->path().filename().string()) == std::end(kOwn)) return false;
  return !failed;
}

}  // namespace

Result<std::unique_ptr<StateFolder>> StateFolder::open(const fs::path& given, const Say& say) {
  std::error_code failed;
  const fs::path root = fs::absolute(given, failed).lexically_normal();
  const bool is_new = !fs::exists(root, failed);
  if (!is_new && !fs::is_directory(root, failed)) return Error(Code::kInvalid, root.string() + " is no folder");
  if (!is_new && !is_ours(root, failed))
    return Error(failed ? Code::kUnavailable : Code::kInvalid,
                 root.string() + (failed ? ": " + failed.message()
                                         : " has other files, and is not of frond up: give --data another folder"));
  if (is_new && fs::create_directories(root, failed) && !failed) ::chmod(root.c_str(), 0700);
  if (failed) return Error(Code::kUnavailable, root.string() + ": " + failed.message());
  auto lock = FROND_TRY(locked(root / "LOCK", say));
  fs::remove_all(root / "run", failed);  // sockets of programs that are gone
  for (const char* folder : {"repository", "leaf", "run", "log"}) {
    const bool made = fs::create_directories(root / folder, failed);
    if (failed) return Error(Code::kUnavailable, (root / folder).string() + ": " + failed.message());
    if (made) ::chmod((root / folder).c_str(), 0700);  // where others may open `root`
  }
  std::unique_ptr<StateFolder> folder(new StateFolder(root, std::move(lock)));
  FROND_TRY(folder->make_key());
  return folder;
}

Result<void> StateFolder::make_key() {
  std::error_code failed;
  if (!fs::exists(path("api.entry"), failed)) {
    fs::remove(path("api.key"), failed);  // of a start that was killed between the two
    keys::KeyEntry entry{.name = "up"};
    entry.scopes = FROND_TRY(keys::Scopes::parse("search,write,admin"));
    FROND_TRY(write_new_api_key(path("api").string(), std::move(entry)));
  }
  key_ = FROND_TRY(files::read_text(path("api.key"), 1024));
  key_.erase(key_.find_last_not_of(" \n") + 1);
  return {};
}

Result<StateFolder::Origin> StateFolder::origin() const {
  const auto text = files::read_text(path("up.json"), kMaxOrigin);
  if (!text && text.error().code() == Code::kNotFound) return Origin();
  if (!text) return text.error();
  const auto read = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const auto damaged = [&] { return Error(Code::kCorrupt, path("up.json").string() + " is damaged"); };
  if (!read.is_object() || !read.contains("collection") || !read["collection"].is_string()) return damaged();
  if (!read.contains("inputs") || !read["inputs"].is_array()) return damaged();
  Origin origin{read["collection"].get<std::string>(), {}};
  for (const auto& input : read["inputs"]) {
    if (!input.is_string()) return damaged();
    origin.inputs.push_back(input.get<std::string>());
  }
  return origin;
}

Result<void> StateFolder::remember(const Origin& origin) const {
  const nlohmann::ordered_json text = {{"collection", origin.collection}, {"inputs", origin.inputs}};
  return files::replace_file(path("up.json"),
                             text.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

bool StateFolder::has_generation(const std::string& collection) const {
  std::error_code failed;
  return fs::exists(root_ / "repository" / collection / "CURRENT", failed);
}

}  // namespace frond::tools::up
