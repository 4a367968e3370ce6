#include "indexer/serve/routes.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/base/machine.h"
#include "common/repository/repository.h"
#include "indexer/write/written_collections.h"

namespace frond::indexer::serve {
namespace {
using nlohmann::ordered_json;

http::Response unavailable(std::string_view detail) { return with_retry(http::problem(503, "Unavailable", detail)); }
http::Response json_response(const ordered_json& json) { return {.body = dumped(json)}; }

Result<Generation> current_of(const ServedRepository& repository, const std::string& collection) {
  const auto source = FROND_TRY(repository.source(collection));
  return source->current();
}

// As in the manifest: true for English ones, false for none, a language, or the words.
ordered_json json_of(const text::StopWords& stop_words) {
  if (stop_words.are_none() || stop_words.are_english()) return stop_words.are_english();
  if (!stop_words.are_own()) return stop_words.name();
  const auto words = stop_words.own_words();
  return std::vector<std::string>(words.begin(), words.end());
}

ordered_json json_of(const repository::Manifest& manifest) {
  std::uint64_t bytes = manifest.term_statistics.bytes;
  for (const auto& partition : manifest.partitions)
    for (const auto& file : partition.summary.files) bytes += file.bytes;
  ordered_json analyzer = {{"name", name_of(manifest.analyzer.kind)},
                           {"stemmer", name_of(manifest.analyzer.stemmer)},
                           {"stop_words", json_of(manifest.analyzer.stop_words)},
                           {"fold_accents", manifest.analyzer.fold_accents},
                           {"split_case", manifest.analyzer.split_case}};
  ordered_json json = {{"collection", manifest.collection},
                       {"generation", manifest.generation},
                       {"previous", manifest.previous},
                       {"created", manifest.created},
                       {"documents", manifest.statistics.documents},
                       {"tokens", manifest.statistics.tokens},
                       {"terms", manifest.terms},
                       {"postings", manifest.postings},
                       {"partitions", manifest.partitions.size()},
                       {"bytes", bytes},
                       {"codec", manifest.codec},
                       {"stored_compression", name_of(manifest.stored)},
                       {"order", manifest.order},
                       {"analyzer", std::move(analyzer)},
                       {"bm25", {{"k1", manifest.bm25.k1}, {"b", manifest.bm25.b}}}};
  if (!manifest.schema.empty()) json["schema"] = ordered_json::parse(manifest.schema);
  return json;
}

// The member "writing" of a collection's description.
ordered_json writing_json(write::WrittenCollections& collections, const std::string& collection) {
  const auto writer = collections.find(collection);
  if (!writer)
    return {{"state", writer.error().code() == Code::kCorrupt ? "refused" : "standby"},
            {"error", writer.error().message()}};
  const write::CollectionWriter::State state = (*writer)->state();
  const ordered_json error = state.error.empty() ? ordered_json(nullptr) : ordered_json(state.error);
  ordered_json listed = ordered_json::array();
  for (const auto& [id, sequence, reason] : state.not_indexed.first)
    listed.push_back({{"id", id}, {"sequence", sequence}, {"reason", reason}});
  return {{"state", "writing"},
          {"pending_operations", state.pending_operations},
          {"pending_bytes", state.pending_bytes},
          {"accepted_sequence", state.accepted},
          {"published_sequence", state.published},
          {"error", error},
          {"not_indexed", {{"documents", state.not_indexed.documents}, {"first", std::move(listed)}}},
          {"compaction",
           {{"running", state.compacting},
            {"documents", state.compaction_documents},
            {"documents_written", state.compaction_written}}},
          {"machine", this_machine().text()},
          {"budgets", collections.budgets()}};
}

}  // namespace

std::string dumped(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}
http::Response with_retry(http::Response response) {
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::string collection_of(const http::Request& request, std::string_view pattern) {
  auto name = http::path_value(request.path, pattern);
  return name ? *std::move(name) : std::string(http::raw_path_value(request.path, pattern));
}

http::Response list_collections(const ServedRepository& repository, write::WrittenCollections* written) {
  const auto names = repository.collections();
  if (!names) return unavailable("The repository can't be read: " + names.error().message() + ".");
  ordered_json listed = ordered_json::array();
  for (const std::string& name : *names) {
    const auto generation = current_of(repository, name);
    const auto writer = written != nullptr ? written->find(name) : Error(Code::kNotFound, "");
    const Code why = generation ? Code::kNotFound : generation.error().code();
    // Null would say that nothing is published. A collection that is spoilt does not keep others from being listed.
    const bool spoilt = why == Code::kCorrupt || why == Code::kInvalid;
    if (why != Code::kNotFound && !spoilt)
      return unavailable("The collection " + name + " can't be read: " + generation.error().message() + ".");
    if (!generation && !writer) continue;
    ordered_json one = {{"collection", name}};
    if (!spoilt) one["generation"] = generation ? ordered_json(*generation) : ordered_json(nullptr);
    const auto metadata = writer ? (*writer)->metadata() : Result<write::CollectionWriter::Metadata>({});
    if (metadata && !metadata->version.empty()) one["metadata"] = metadata->version;
    listed.push_back(std::move(one));
  }
  ordered_json all = {{"collections", std::move(listed)}};
  const auto common = written != nullptr ? written->metadata() : Result<write::CollectionWriter::Metadata>({});
  if (!common) return unavailable("What is kept for all collections can't be read: " + common.error().message() + ".");
  if (!common->version.empty()) all["metadata"] = common->version;
  return json_response(all);
}

http::Response describe_collection(const ServedRepository& repository, std::string_view collection,
                                   write::WrittenCollections* written) {
  const auto missing = [] { return http::problem(404, "Not found", "There is no such collection."); };
  if (!repository::is_safe_name(collection)) return missing();
  const auto manifest = [&]() -> Result<repository::Manifest> {
    const auto source = FROND_TRY(repository.source(collection));
    return write::current_manifest(*source);
  }();
  ordered_json described;
  const bool unpublished = !manifest && manifest.error().code() == Code::kNotFound;
  if (manifest) described = json_of(*manifest);
  if (unpublished && written != nullptr) {
    const auto writer = written->find(std::string(collection));
    if (writer || writer.error().code() != Code::kNotFound)
      described = {{"collection", collection}, {"generation", nullptr}};
  }
  if (written != nullptr && !described.empty()) described["writing"] = writing_json(*written, std::string(collection));
  if (!described.empty()) return json_response(described);
  if (unpublished) return missing();
  return unavailable("The collection can't be read: " + manifest.error().message() + ".");
}

http::Response list_generations(const ServedRepository& repository, std::string_view collection) {
  if (!repository::is_safe_name(collection)) return http::problem(404, "Not found", "There is no such collection.");
  const auto current = current_of(repository, std::string(collection));
  if (!current && current.error().code() == Code::kNotFound)
    return http::problem(404, "Not found", "There is no such collection, or nothing of it is published.");
  if (!current) return unavailable("The collection can't be read: " + current.error().message() + ".");
  const auto numbers = repository.generations(collection);
  if (!numbers) return unavailable("The generations can't be read: " + numbers.error().message() + ".");
  ordered_json listed = ordered_json::array();
  for (const Generation number : *numbers) listed.push_back({{"generation", number}, {"current", number == *current}});
  return json_response({{"generations", std::move(listed)}});
}

}  // namespace frond::indexer::serve
