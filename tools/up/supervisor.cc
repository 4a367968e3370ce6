#include "tools/up/supervisor.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace frond::tools::up {

using std::chrono::ceil, std::chrono::milliseconds;

Result<std::unique_ptr<Supervisor>> Supervisor::create(Say say) {
  sigset_t taken;
  ::sigemptyset(&taken);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&taken, signal);
  ::sigprocmask(SIG_BLOCK, &taken, nullptr);
  files::Descriptor signals(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.valid()) return files::system_error(Code::kUnavailable, "waiting for", "signals");
  return std::unique_ptr<Supervisor>(new Supervisor(std::move(say), std::move(signals)));
}

bool Supervisor::wait(const std::vector<Child*>& children, Clock::time_point until) {
  std::vector<pollfd> waiting{{signals_.get(), POLLIN, 0}};
  for (const Child* child : children) waiting.push_back({child->output(), POLLIN, 0});  // -1 is passed over
  const auto left = ceil<milliseconds>(until - Clock::now());
  ::poll(waiting.data(), waiting.size(), static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, 60'000)));
  for (std::size_t i = 0; i < children.size(); ++i)
    if (waiting[i + 1].revents != 0) children[i]->take_output();
  bool asked = false;
  signalfd_siginfo one{};
  while (::read(signals_.get(), &one, sizeof one) == sizeof one)
    asked = asked || static_cast<int>(one.ssi_signo) != SIGCHLD;
  // A pipe whose other side is closed is always readable, until the process is seen to have ended.
  if (std::ranges::any_of(waiting, [](const pollfd& each) { return (each.revents & POLLHUP) != 0; })) ::usleep(1000);
  return asked;
}

Result<std::optional<Ended>> Supervisor::run_once(Child& child) {
  FROND_TRY(child.start());
  bool asked = false;
  for (;;) {
    if (wait({&child}, Clock::now() + kAttend)) {
      child.signal(asked ? SIGKILL : SIGTERM);
      asked = true;
    }
    if (const auto ended = child.reap()) return asked ? std::optional<Ended>() : ended;
  }
}

void Supervisor::show(const Child& child) {
  if (child.log().empty()) return;  // they were shown as they came
  for (const std::string& line : child.last_lines()) say_("  " + child.command().name + ": " + line);
}

Result<void> Supervisor::start(Life& life) {
  life.again = {};
  life.began = Clock::now();
  return life.child->start();
}

Result<void> Supervisor::look_after(Life& life) {
  const auto now = Clock::now();
  if (const auto ended = life.child->reap()) {
    const std::string& name = life.child->command().name;
    life.deaths = now - life.began > kLongLife ? 1 : life.deaths + 1;
    const bool refused = ended->signal == 0 && (ended->code == 2 || ended->code == 127);
    show(*life.child);
    if ((refused && life.deaths == 1) || life.deaths >= kMostDeaths)
      return Error(Code::kUnavailable,
                   name + " ended with " + ended->text() + ", and is not started again" +
                       (life.child->log().empty() ? "" : "; its log is " + life.child->log().string()));
    const auto pause = std::min<milliseconds>(kMostPause, kFirstPause * (1 << (life.deaths - 1)));
    say_(name + " ended with " + ended->text() + "; it is started again in " + std::to_string(pause.count()) + " ms");
    life.again = now + pause;
  }
  if (life.again != Clock::time_point() && now >= life.again) return start(life);
  return {};
}

Result<void> Supervisor::run(const std::vector<Child*>& children, const std::function<Result<Attended>()>& attend) {
  std::vector<Life> lives;
  Result<void> outcome;
  for (Child* child : children) {
    lives.push_back({child});
    if (outcome) outcome = start(lives.back());
  }
  bool attending = true;
  auto attend_at = Clock::now();
  while (outcome) {
    auto until = Clock::now() + std::chrono::minutes(1);
    if (attending) until = std::min(until, attend_at);
    for (const Life& life : lives)
      if (life.again != Clock::time_point()) until = std::min(until, life.again);
    if (wait(children, until)) break;
    for (Life& life : lives)
      if (outcome) outcome = look_after(life);
    if (!outcome || !attending || Clock::now() < attend_at) continue;
    const auto attended = attend();
    if (!attended) outcome = attended.error();
    attending = attended && *attended == Attended::kAgain;
    attend_at = Clock::now() + kAttend;
  }
  say_("ending");
  end_all(children);
  return outcome;
}

void Supervisor::end_all(const std::vector<Child*>& children) {
  for (auto at = children.rbegin(); at != children.rend(); ++at) {
    Child& child = **at;
    child.signal(SIGTERM);
    const auto until = Clock::now() + kPatience;
    bool killed = false;
    while (child.running()) {
      const bool asked_again = wait(children, std::min(until, Clock::now() + kAttend));
      if (asked_again)
        for (const Child* other : children) other->signal(SIGKILL);
      if (!killed && Clock::now() >= until) {
        killed = true;
        say_(child.command().name + " does not end: it is killed");
        child.signal(SIGKILL);
      }
      for (Child* each : children) {
        const auto ended = each->reap();
        if (ended && !ended->well()) say_(each->command().name + " ended with " + ended->text());
      }
    }
  }
}

}  // namespace frond::tools::up
