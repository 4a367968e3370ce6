#include "common/repository/current_watch.h"

#include <poll.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/files/folder_watch.h"
#include "common/http/client/client.h"

namespace frond::repository {
namespace {

// Longer than any leaf's poll needs to be, shorter than what proxies and firewalls take for a dead connection.
constexpr std::chrono::seconds kWait{20};

class DirectoryWatch final : public CurrentWatch {
 public:
  explicit DirectoryWatch(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Result<News> wait() override {
    if (interrupt_.raised()) return News::kNone;
    if (!watch_) return begin();
    pollfd waiting[] = {{watch_->fd(), POLLIN, 0}, {interrupt_.fd(), POLLIN, 0}};
    ::poll(waiting, 2, static_cast<int>(std::chrono::milliseconds(kWait).count()));
    bool changed = false, lost = false;
    for (const auto& event : watch_->events()) {
      changed |= event.overflow || event.name == "CURRENT";
      lost |= event.gone;
    }
    if (lost) watch_.reset();  // another collection may have its name
    return changed || lost ? News::kChanged : News::kNone;
  }
  void interrupt() override { interrupt_.raise(); }

 private:
  Result<News> begin() {
    auto watch = FROND_TRY(files::FolderWatch::open());
    FROND_TRY(watch.add(folder_));
    watch_ = std::move(watch);
    return News::kChanged;
  }
  const std::filesystem::path folder_;
  std::optional<files::FolderWatch> watch_;
  files::Interrupt interrupt_;
};

class HttpWatch final : public CurrentWatch {
 public:
  HttpWatch(net::Url root, std::shared_ptr<const tls::Trust> trust, std::string path)
      : root_(std::move(root)), trust_(std::move(trust)), path_(std::move(path)) {}

  Result<News> wait() override {
    if (interrupt_.raised()) return News::kNone;
    const auto answer =
        http::get_changed(root_, trust_.get(), path_, {.etag = etag_, .wait = kWait, .interrupt = interrupt_.fd()});
    if (!answer) {
      etag_.clear();  // what comes next may be another server's
      return answer.error();
    }
    etag_ = answer->etag;
    if (answer->changed) return News::kChanged;
    return answer->waits ? News::kNone : News::kCannotTell;
  }
  void interrupt() override { interrupt_.raise(); }

 private:
  const net::Url root_;
  const std::shared_ptr<const tls::Trust> trust_;  // null: plain HTTP
  const std::string path_;
  std::string etag_;
  files::Interrupt interrupt_;
};

}  // namespace

std::unique_ptr<CurrentWatch> watch_directory(std::filesystem::path collection) {
  return std::make_unique<DirectoryWatch>(std::move(collection));
}

std::unique_ptr<CurrentWatch> watch_http(net::Url root, std::shared_ptr<const tls::Trust> trust, std::string path) {
  return std::make_unique<HttpWatch>(std::move(root), std::move(trust), std::move(path));
}

}  // namespace frond::repository
