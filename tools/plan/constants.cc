#include "tools/plan/constants.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/check.h"

namespace frond::tools::plan {
namespace embedded {
std::string_view constants_json();  // compiled in by cmake/EmbedFiles.cmake
}
namespace {

using nlohmann::json;

struct Name {
  std::string_view name;
  double Constants::*value;
};
constexpr std::array kNames{
    Name{"generation_bytes_posting", &Constants::generation_bytes_posting},
    Name{"text_bytes_byte", &Constants::text_bytes_byte},
    Name{"document_bytes", &Constants::document_bytes},
    Name{"postings_word", &Constants::postings_word},
    Name{"bytes_word", &Constants::bytes_word},
    Name{"leaf_mib", &Constants::leaf_mib},
    Name{"leaf_bytes_document", &Constants::leaf_bytes_document},
    Name{"list_bytes_posting", &Constants::list_bytes_posting},
    Name{"gpu_mib", &Constants::gpu_mib},
    Name{"gpu_bytes_document", &Constants::gpu_bytes_document},
    Name{"gpu_bytes_posting", &Constants::gpu_bytes_posting},
    Name{"query_postings_document", &Constants::query_postings_document},
    Name{"leaf_us", &Constants::leaf_us},
    Name{"or_us_million", &Constants::or_us_million},
    Name{"and_us_million", &Constants::and_us_million},
    Name{"work_power", &Constants::work_power},
    Name{"show_us", &Constants::show_us},
    Name{"show_text_us", &Constants::show_text_us},
    Name{"gpu_host_us", &Constants::gpu_host_us},
    Name{"gpu_us_posting", &Constants::gpu_us_posting},
    Name{"broker_us", &Constants::broker_us},
    Name{"broker_us_leaf", &Constants::broker_us_leaf},
    Name{"cached_us", &Constants::cached_us},
    Name{"way_us", &Constants::way_us},
    Name{"fetch_way_us", &Constants::fetch_way_us},
    Name{"gpu_way_us", &Constants::gpu_way_us},
    Name{"stall_share", &Constants::stall_share},
    Name{"stall_us", &Constants::stall_us},
    Name{"split_more", &Constants::split_more},
    Name{"leaf_spread", &Constants::leaf_spread},
};

Error invalid(std::string message) { return {Code::kInvalid, std::move(message)}; }

// A text member; empty where there is none.
std::string text_of(const json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<Constants::Source> source_from(const json& one) {
  if (!one.is_object()) return invalid("a constant is no object");
  Constants::Source source{text_of(one, "name"),   text_of(one, "unit"),    text_of(one, "page"),
                           text_of(one, "commit"), text_of(one, "machine"), 0};
  const auto value = one.find("value");
  if (value == one.end() || !value->is_number() || value->get<double>() < 0)
    return invalid("constant " + source.name + " has no value of 0 or more");
  source.value = value->get<double>();
  if (source.unit.empty() || source.page.empty() || source.commit.empty() || source.machine.empty())
    return invalid("constant " + source.name + " has no unit, page, commit or machine");
  return source;
}

Result<WorkSpread> spread_from(const json& work) {
  WorkSpread spread;
  const auto points = work.find("quantiles");
  if (points == work.end() || !points->is_array()) return invalid("work has no quantiles");
  for (const json& point : *points) {
    if (!point.is_array() || point.size() != 2 || !point[0].is_number() || !point[1].is_number())
      return invalid("a quantile of work is no pair of numbers");
    const WorkSpread::Point next{point[0].get<double>(), point[1].get<double>()};
    if (next.work < 0 || (!spread.points.empty() && (next.probability <= spread.points.back().probability ||
                                                     next.work < spread.points.back().work)))
      return invalid("quantiles of work do not ascend");
    spread.points.push_back(next);
  }
  if (spread.points.size() < 2 || spread.points.front().probability != 0 || spread.points.back().probability != 1)
    return invalid("quantiles of work do not reach from 0 to 1");
  return spread;
}

}  // namespace

double WorkSpread::at(double place) const {
  const auto above = std::upper_bound(points.begin() + 1, points.end() - 1, place,
                                      [](double wanted, const Point& point) { return wanted < point.probability; });
  const Point& to = *above;
  const Point& from = *(above - 1);
  return from.work + (to.work - from.work) * (place - from.probability) / (to.probability - from.probability);
}

std::string Constants::source_of(std::string_view name) const {
  const auto found = std::ranges::find(sources, name, &Source::name);
  FROND_CHECK(found != sources.end());
  return found->page + ", " + found->commit;
}

Result<Constants> Constants::parse(std::string_view text) {
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object() || !all.contains("constants") || !all["constants"].is_array() || !all.contains("work"))
    return invalid("no JSON object with constants and work");
  Constants constants;
  for (const json& one : all["constants"]) {
    auto source = source_from(one);
    if (!source) return std::move(source).error();
    const auto known = std::ranges::find(kNames, source->name, &Name::name);
    if (known == kNames.end()) return invalid("constant '" + source->name + "' is unknown");
    constants.*known->value = source->value;
    constants.sources.push_back(*std::move(source));
  }
  for (const Name& wanted : kNames)
    if (std::ranges::find(constants.sources, wanted.name, &Source::name) == constants.sources.end())
      return invalid("constant " + std::string(wanted.name) + " is missing");
  constants.work = FROND_TRY(spread_from(all["work"]));
  return constants;
}

const Constants& Constants::built_in() {
  static const Constants kBuiltIn = [] {
    auto parsed = parse(embedded::constants_json());
    FROND_CHECK(parsed.has_value());
    return *std::move(parsed);
  }();
  return kBuiltIn;
}

}  // namespace frond::tools::plan
