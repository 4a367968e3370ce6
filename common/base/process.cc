#include "common/base/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "common/base/line_writer.h"
#include "common/base/log.h"

namespace frond {
namespace {

[[noreturn]] void terminate_with_message() {
  std::string why = "terminated";
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& thrown) {
    why = std::string("an exception was not caught: ") + thrown.what();
  } catch (...) {
    why = "something was thrown and not caught";
  }
  write_stderr(why + "\n");
  std::abort();
}

}  // namespace

std::size_t prepare_server_process() {
  report_uncaught_exceptions();
  std::signal(SIGPIPE, SIG_IGN);
  Logger::follow_signals();
  constexpr std::size_t kUnknownLimit = 1024;  // assumed if the system does not say
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kUnknownLimit;
  rlimit raised = limit;
  raised.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  return static_cast<std::size_t>(limit.rlim_cur);
}

std::string default_node_name(std::uint16_t port) {
  char name[256] = {};
  const bool known = gethostname(name, sizeof name - 1) == 0 && name[0] != '\0';
  return (known ? std::string(name) : "localhost") + ":" + std::to_string(port);
}

void report_uncaught_exceptions() { std::set_terminate(terminate_with_message); }

void hold_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

int finish_output(std::string_view program, int status) {
  std::cout.flush();
  const bool written = std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (written || status != 0) return status;
  write_stderr(std::string(program) + ": the result can't be written to standard output; what was asked for is done\n");
  return 1;
}

}  // namespace frond
