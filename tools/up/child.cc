#include "tools/up/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

namespace frond::tools::up {
namespace {

// In the new process: becomes the program. Only system calls, since nothing may be allocated here.
[[noreturn]] void become(char* const* arguments, const char* folder, int log, int inherited, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(0);  // it died before that
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::fcntl(inherited, F_SETFD, 0);
  if (::chdir(folder) == 0) ::execv(arguments[0], arguments);
  const char* const why = std::strerror(errno);
  (void)!::write(STDERR_FILENO, arguments[0], std::strlen(arguments[0]));
  (void)!::write(STDERR_FILENO, ": ", 2);
  (void)!::write(STDERR_FILENO, why, std::strlen(why));
  (void)!::write(STDERR_FILENO, "\n", 1);
  ::_exit(127);
}

}  // namespace

void put(int descriptor, std::string_view text) {
  constexpr std::size_t kWhole = 4096;  // PIPE_BUF: of so many bytes a pipe that can be written to takes all
  while (!text.empty()) {
    pollfd ready{descriptor, POLLOUT, 0};
    if (::poll(&ready, 1, 0) <= 0 || ready.revents != POLLOUT) return;  // POLLERR: nobody reads it any more
    const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), kWhole));
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string Ended::text() const {
  if (signal == 0) return "exit code " + std::to_string(code);
  return "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

Child::~Child() {
  if (!running()) return;
  signal(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Result<void> Child::start() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return files::system_error(Code::kUnavailable, "starting", log_);
  pipe_ = files::Descriptor(ends[0]);
  const files::Descriptor writer(ends[1]);
  ::fcntl(writer.get(), F_SETFL, 0);  // the program's side waits
  std::vector<char*> arguments{const_cast<char*>(command_.program.c_str())};
  for (const std::string& one : command_.arguments) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  lines_.clear();
  line_.clear();
  const pid_t self = ::getpid();
  const pid_t made = ::fork();
  if (made < 0) return files::system_error(Code::kUnavailable, "starting", command_.program);
  if (made == 0) become(arguments.data(), folder_.c_str(), writer.get(), inherited_, self);
  ::setpgid(made, made);  // also here, so that it holds when this returns
  pid_ = made;
  return {};
}

void Child::signal(int number) const {
  if (running()) ::kill(pid_, number);
}

void Child::take_output() {
  std::array<char, 16 << 10> bytes;
  for (;;) {
    const ssize_t got = ::read(pipe_.get(), bytes.data(), bytes.size());
    if (got <= 0) return;
    keep({bytes.data(), static_cast<std::size_t>(got)});
    write_log({bytes.data(), static_cast<std::size_t>(got)});
  }
}

std::optional<Ended> Child::reap() {
  int status = 0;
  if (!running() || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  take_output();
  pid_ = 0;
  pipe_ = {};
  if (!line_.empty()) keep("\n");
  return WIFSIGNALED(status) ? Ended{0, WTERMSIG(status)} : Ended{WEXITSTATUS(status), 0};
}

void Child::keep(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    line_ += part.substr(0, kMaxLineBytes - std::min(kMaxLineBytes, line_.size()));
    if (end == std::string_view::npos) return;
    lines_.push_back(std::move(line_));
    line_.clear();
    if (lines_.size() > kLastLines) lines_.pop_front();
    bytes.remove_prefix(end + 1);
  }
}

// A log that can't be written must not end the programs: then only the last lines are kept.
void Child::write_log(std::string_view bytes) {
  if (log_.empty()) return put(STDERR_FILENO, bytes);
  std::error_code ignored;
  if (file_.valid() && log_bytes_ + bytes.size() > kMaxLogBytes) {
    std::filesystem::rename(log_, std::filesystem::path(log_) += ".1", ignored);
    file_ = {};
  }
  if (!file_.valid()) {
    file_ = files::Descriptor(::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    const auto size = std::filesystem::file_size(log_, ignored);
    log_bytes_ = ignored ? 0 : size;
  }
  if (file_.valid() && ::write(file_.get(), bytes.data(), bytes.size()) > 0) log_bytes_ += bytes.size();
}

}  // namespace frond::tools::up
