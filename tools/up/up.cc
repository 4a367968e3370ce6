#include "tools/up/up.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "common/base/machine.h"
#include "common/http/client/client.h"
#include "common/net/local_address.h"
#include "tools/up/checks.h"
#include "tools/up/shares.h"
#include "tools/up/state_folder.h"
#include "tools/up/supervisor.h"

namespace frond::tools::up {
namespace fs = std::filesystem;
namespace {

constexpr std::uint32_t kMostPartitions = 8;
constexpr std::chrono::milliseconds kProbe{1000};  // the longest that a question to a program may take
constexpr std::chrono::seconds kTellWhy{15};       // how often it is said what is waited for
// Sockets, relative to the folder in which the programs run: a path of a socket may have 107 bytes.
constexpr std::string_view kLeafSocket = "run/leaf.sock", kLeafHttp = "run/leaf-http.sock",
                           kServiceSocket = "run/indexer.sock";

void say(const std::string& line) { put(STDERR_FILENO, "frond up: " + line + "\n"); }

// For --http-hosts; addresses are always admitted.
std::string own_hosts(const std::string& http) {
  return http.find(':') == std::string::npos ? "localhost," + http : "localhost";
}

class Up {
 public:
  Up(Options options, Place place, StateFolder& state, Supervisor& supervisor)
      : options_(std::move(options)), place_(std::move(place)), state_(state), supervisor_(supervisor) {}

  // Whether there is something to run: false after a signal.
  Result<bool> index_if_needed();
  Result<void> serve();

 private:
  Result<bool> index();
  std::unique_ptr<Child> child(const std::string& name, const std::string& program, std::vector<std::string> arguments,
                               const std::vector<Share>& shares = {}) const;
  Result<Supervisor::Attended> attend();
  Result<bool> make_collection();
  Result<http::Answered> ask(const net::Url& url, std::string_view method, const std::string& target) const;
  void tell() const;

  const Options options_;
  const Place place_;
  StateFolder& state_;
  Supervisor& supervisor_;
  const net::Url service_{std::string(net::kUnixScheme) + std::string(kServiceSocket), "", "", false};
  bool made_ = false;  // the collection, where nothing was indexed
  std::chrono::steady_clock::time_point tell_at_ = std::chrono::steady_clock::now() + kTellWhy;
};

std::unique_ptr<Child> Up::child(const std::string& name, const std::string& program,
                                 std::vector<std::string> arguments, const std::vector<Share>& shares) const {
  std::error_code failed;
  const fs::path programs = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (std::string& one : arguments_of(shares)) arguments.push_back(std::move(one));
  return std::make_unique<Child>(Command{name, programs / program, std::move(arguments)}, state_.root(),
                                 options_.logs_to_stderr ? fs::path() : state_.path("log") / (name + ".log"),
                                 state_.lock());
}

Result<bool> Up::index_if_needed() {
  auto origin = FROND_TRY(state_.origin());
  const std::string& name = options_.collection;
  if (!origin.collection.empty() && origin.collection != name)
    return Error(Code::kInvalid, state_.root().string() + " has the collection " + origin.collection +
                                     ": give --collection " + origin.collection + ", or another --data");
  const bool there = state_.has_generation(name);
  const bool other = !options_.inputs.empty() && options_.inputs != origin.inputs;
  if (there && other && !options_.reindex)
    return Error(Code::kInvalid,
                 state_.root().string() +
                     (origin.inputs.empty() ? " has documents that came over HTTP" : " was indexed from other inputs") +
                     ": --reindex replaces them, or give another --data");
  if (options_.reindex && options_.inputs.empty()) return Error(Code::kInvalid, "--reindex needs --input");
  if (there && !options_.inputs.empty() && !options_.reindex)
    say("the input was indexed already: it goes on with that, and with what came over HTTP; --reindex indexes it anew");
  if (options_.inputs.empty() && (there || origin.inputs.empty())) {
    FROND_TRY(state_.remember({name, origin.inputs}));
    return true;
  }
  if (there && !options_.reindex) return true;
  if (!options_.inputs.empty()) origin.inputs = options_.inputs;
  FROND_TRY(state_.remember({name, origin.inputs}));
  return index();
}

Result<bool> Up::index() {
  const auto origin = FROND_TRY(state_.origin());
  const std::uint32_t partitions =
      options_.partitions > 0 ? options_.partitions : std::min(this_machine().cores, kMostPartitions);
  std::vector<std::string> arguments{"build",
                                     "--repository",
                                     "repository",
                                     "--collection",
                                     options_.collection,
                                     "--partitions",
                                     std::to_string(partitions)};
  if (!options_.schema.empty()) arguments.insert(arguments.end(), {"--schema", options_.schema});
  arguments.push_back("--input");
  arguments.insert(arguments.end(), origin.inputs.begin(), origin.inputs.end());
  const auto build = child("index", "frond-indexer", std::move(arguments));
  say("indexing" + (options_.logs_to_stderr ? "" : "; its log is " + build->log().string()));
  const auto ended = FROND_TRY(supervisor_.run_once(*build));
  if (!ended) {
    say("ended while it indexed; the next start goes on from the last checkpoint");
    return false;
  }
  if (ended->well()) return true;
  if (!options_.logs_to_stderr)
    for (const std::string& line : build->last_lines()) say("  index: " + line);
  return Error(Code::kUnavailable, "indexing ended with " + ended->text());
}

Result<void> Up::serve() {
  const Shares shares = shares_of(this_machine());
  const std::string& name = options_.collection;
  const std::string leaf_address = std::string(net::kIpcScheme) + std::string(kLeafSocket);
  const std::string service_address = std::string(net::kUnixScheme) + std::string(kServiceSocket);
  const auto service = child(
      "indexer", "frond-indexer",
      {"serve", "--repository", "repository", "--listen", service_address, "--api-keys", "api.entry"}, shares.service);
  const auto leaf =
      child("leaf", "frond-leaf",
            {"--repository", "repository", "--collection", "*", "--data", "leaf", "--repository-files", "link",
             "--listen", leaf_address, "--http", std::string(net::kUnixScheme) + std::string(kLeafHttp), "--node-name",
             "leaf", "--drain-ms", "0"},
            shares.leaf);
  // What names no collection is for the one of this command.
  std::vector<std::string> of_broker{"--collection",
                                     name,
                                     "--collection",
                                     "*",
                                     "--leaf",
                                     leaf_address,
                                     "--http",
                                     place_.text(),
                                     "--node-name",
                                     "broker",
                                     "--indexer-service",
                                     service_address,
                                     "--indexer-key",
                                     "api.key"};
  if (!options_.elasticsearch_api.empty())
    of_broker.insert(of_broker.end(), {"--elasticsearch-api", options_.elasticsearch_api});
  if (!place_.loopback)
    of_broker.insert(of_broker.end(), {"--api-keys", "api.entry"});
  else if (std::getenv("FROND_HTTP_HOSTS") == nullptr)  // searches need no key, and a web page may not make any
    of_broker.insert(of_broker.end(), {"--http-hosts", own_hosts(place_.at.host)});
  const auto broker = child("broker", "frond-broker", std::move(of_broker), shares.broker);
  return supervisor_.run({service.get(), leaf.get(), broker.get()}, [this] { return attend(); });
}

Result<http::Answered> Up::ask(const net::Url& url, std::string_view method, const std::string& target) const {
  constexpr std::size_t kMaxAnswer = 64 << 10;
  return http::exchange(url, nullptr, {method, target, "Authorization: Bearer " + state_.key() + "\r\n", {}},
                        {.max_bytes = kMaxAnswer, .step_timeout = kProbe});
}

// True: it is there. kUnavailable: the service refuses it.
Result<bool> Up::make_collection() {
  const auto answer = ask(service_, "PUT", "/v1/collections/" + options_.collection);
  if (!answer || answer->status == 503) return false;  // it has only begun
  if (answer->status == 201 || answer->status == 409) return true;
  return Error(Code::kUnavailable, "the collection can't be made: " + answer->body);
}

Result<Supervisor::Attended> Up::attend() {
  constexpr auto kAgain = Supervisor::Attended::kAgain;
  const bool there = state_.has_generation(options_.collection);
  if (!there && !made_) {
    made_ = FROND_TRY(make_collection());
    if (!made_) return kAgain;
  }
  // Without documents there is nothing that could be ready.
  const auto answer = ask(place_.url(), "GET", there ? "/readyz" : "/livez");
  if (answer && answer->status == 200) {
    tell();
    return Supervisor::Attended::kDone;
  }
  if (std::chrono::steady_clock::now() >= tell_at_) {
    tell_at_ += kTellWhy;
    say("not ready yet: " + (answer ? answer->body : answer.error().message()));
  }
  return kAgain;
}

void Up::tell() const {
  const std::string url = "http://" + place_.text();
  const std::string key = state_.path("api.key").string();
  const std::string header = " -H \"Authorization: Bearer $(cat " + key + ")\"";
  const std::string documents = url + "/v1/collections/" + options_.collection + "/documents";
  // Not where logs are kept that others may read.
  const std::string shown = options_.logs_to_stderr ? "in " + key : state_.key() + " (in " + key + ")";
  const std::string elasticsearch =
      options_.elasticsearch_api.empty()
          ? ""
          : "\nelasticsearch http://" + options_.elasticsearch_api + " (the same API is at " + url + "/es)";
  put(STDOUT_FILENO,
      "search page   " + url + "/\n" +                                                                   //
          "search        curl '" + url + "/v1/search?q=WORDS'" + (place_.loopback ? "" : header) +       //
          "\ndocuments     curl" + header + " --data-binary @FILE.jsonl " + documents + elasticsearch +  //
          "\nkey           " + shown +                                                                   //
          "\nstate         " + state_.root().string() + "; Ctrl-C ends it, the same command goes on\n");
}

}  // namespace

Result<void> run(Options options) {
  options.inputs = FROND_TRY(checked_inputs(options.inputs, options.data));
  if (!options.schema.empty() && options.schema != "infer") {
    std::error_code failed;
    const fs::path schema = fs::canonical(options.schema, failed);
    if (failed) return Error(Code::kNotFound, "--schema " + options.schema + ": " + failed.message());
    options.schema = schema.string();
  }
  const auto state = FROND_TRY(StateFolder::open(options.data, say));
  auto place = FROND_TRY(free_place(options.http));
  if (!options.elasticsearch_api.empty()) {
    const auto second = FROND_TRY(free_place(options.elasticsearch_api, "--elasticsearch-api"));
    options.elasticsearch_api = second.text();
    place.loopback = place.loopback && second.loopback;  // one broker: it checks keys on both, or on none
  }
  // Until here a signal ends this process at once, whatever it waits for.
  const auto supervisor = FROND_TRY(Supervisor::create(say));
  if (::chdir(state->root().c_str()) != 0)  // where sockets' paths are short
    return Error(Code::kUnavailable, state->root().string() + " can't be entered");
  Up up(std::move(options), std::move(place), *state, *supervisor);
  if (!FROND_TRY(up.index_if_needed())) return {};
  return up.serve();
}

}  // namespace frond::tools::up
