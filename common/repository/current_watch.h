#pragma once
// Waits for a repository's CURRENT to change, so that whoever follows it knows within milliseconds what polling would
// find later. It may miss a change (a lost connection, a network file system), and it may tell of none: its user looks
// at CURRENT, and polls besides.
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/net/address.h"
#include "common/tls/certificates.h"

namespace frond::repository {

class CurrentWatch {
 public:
  virtual ~CurrentWatch() = default;
  enum class News {
    kChanged,    // CURRENT may be another one than at the last call; always at the first
    kNone,       // nothing has changed for a while
    kCannotTell  // the place does not tell of changes now: polling has to do
  };
  // Returns soon after a change, after interrupt(), or after some seconds. One thread. Errors: kUnavailable, kNotFound,
  // kCorrupt: the place can't be asked now.
  virtual Result<News> wait() = 0;
  // Ends wait() at once, now and from now on. Any thread.
  virtual void interrupt() = 0;
};

// The two kinds of CurrentWatch; RepositorySource::watch() makes them.
// `collection`: its folder.
std::unique_ptr<CurrentWatch> watch_directory(std::filesystem::path collection);
// `path`: CURRENT's, below `root`. `trust`: null for plain HTTP.
std::unique_ptr<CurrentWatch> watch_http(net::Url root, std::shared_ptr<const tls::Trust> trust, std::string path);

}  // namespace frond::repository
