#include "tools/import/retried_requests.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "common/base/text.h"

namespace frond::tools {
namespace {

constexpr std::chrono::milliseconds kFirstPause{500}, kMaxPause{15'000}, kMaxAskedPause{120'000}, kStepTime{120'000};

bool passes(int status) { return status == 429 || (status >= 502 && status <= 504); }

std::chrono::milliseconds asked_wait(const http::Answered& answer) {
  const auto field = std::ranges::find(answer.headers, "retry-after", &std::pair<std::string, std::string>::first);
  if (field == answer.headers.end()) return {};
  const auto seconds = number_in<std::uint32_t>(field->second).value_or(0);
  return std::min(kMaxAskedPause, std::chrono::milliseconds(1000ull * seconds));
}

}  // namespace

Error refusal_of(const http::Answered& answer) {
  const auto json = nlohmann::json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  std::string why = answer.body.substr(0, 300);
  if (json.is_object() && json.contains("detail") && json["detail"].is_string()) why = json["detail"];
  if (json.is_object() && json.contains("error") && json["error"].is_object())
    why = json["error"].value("reason", json["error"].dump().substr(0, 300));
  return Error(answer.status >= 400 && answer.status < 500 ? Code::kInvalid : Code::kUnavailable,
               "status " + std::to_string(answer.status) + ": " + why);
}

Result<http::Answered> RetriedRequests::ask(std::string_view method, std::string_view target, std::string_view body,
                                            std::string_view type, std::string_view fields, Repeat repeat) {
  const std::string path = server_.url.path + std::string(target);
  std::string header = server_.fields + "Accept: application/json\r\n" + std::string(fields);
  if (!body.empty()) header += "Content-Type: " + std::string(type) + "\r\n";
  net::Url host = server_.url;
  host.path.clear();
  auto wait = kFirstPause;
  for (unsigned tried = 0;; ++tried) {
    auto answer = http::exchange(host, server_.trust.get(), {method, path, header, body},
                                 {.max_bytes = kMaxAnswer, .step_timeout = kStepTime});
    if (answer && !passes(answer->status)) return answer;
    const bool lost =
        !answer && (answer.error().code() == Code::kUnavailable || answer.error().code() == Code::kDeadline);
    if (!answer && !lost) return std::move(answer).error().within(what_);
    const Error why = answer ? refusal_of(*answer) : answer.error();
    const bool last = tried == retries_ || (repeat == Repeat::kAtMostOnce && !(answer && answer->status == 429));
    if (last) return Error(Code::kUnavailable, why.message()).within(what_);
    if (retried_) retried_(what_ + ": " + why.message() + "; it is asked again");
    std::this_thread::sleep_for(std::max(wait, answer ? asked_wait(*answer) : std::chrono::milliseconds(0)));
    wait = std::min(2 * wait, kMaxPause);
  }
}

}  // namespace frond::tools
