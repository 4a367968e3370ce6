#include "broker/http/evaluation.h"

#include <algorithm>
#include <utility>

#include "broker/http/answer_json.h"
#include "common/scoring/prior.h"
#include "common/wire/messages.h"

namespace frond::broker::http {
namespace {

std::shared_ptr<const Answer> rendered(const Question& question, const merge::Page& page) {
  auto answer = std::make_shared<Answer>();
  const SearchParameters& asked = question.parameters;
  answer->rest =
      render_rest(page, {asked.explain, asked.profile, question.terms, question.bm25.value_or(question.topology->bm25),
                         asked.fields, asked.rank == wire::Rank::kScore, asked.count, question.signs});
  answer->rest.shrink_to_fit();
  answer->generation = page.generation;
  answer->partitions_total = page.partitions_total;
  answer->partitions_answered = page.partitions_answered();
  answer->timed_out = page.timed_out();
  answer->all_overloaded =
      !page.unsearched.empty() &&
      std::all_of(page.unsearched.begin(), page.unsearched.end(), [](const wire::UnsearchedPartition& one) {
        return one.reason == wire::UnsearchedReason::kOverloaded;
      });
  return answer;
}

// The answer to a query without terms; no leaf is asked.
merge::Page empty_page(const Question& question) {
  merge::Page page;
  page.generation = question.topology->generation;
  page.partitions_total = static_cast<std::uint32_t>(question.topology->partitions.size());
  page.mode_used = question.parameters.mode == wire::Mode::kOr ? wire::Mode::kOr : wire::Mode::kAnd;
  if (question.parameters.mode == wire::Mode::kAuto) page.all_words = merge::Count();
  return page;
}

scatter::SearchPlan plan_of(const Question& question) {
  scatter::SearchPlan plan;
  plan.topology = question.topology;
  plan.request.terms = question.terms;
  plan.request.mode = question.parameters.mode;
  plan.request.rank = question.parameters.rank;
  plan.request.bm25 = question.bm25;
  plan.request.prior_weight = prior_weight(question.parameters);
  plan.request.processor = question.parameters.processor;
  // The explanation names the engines, which are in the profile.
  plan.request.profile = question.parameters.profile || question.parameters.explain;
  plan.k = question.parameters.k;
  plan.offset = question.parameters.offset;
  plan.fields = question.parameters.fields;
  return plan;
}

}  // namespace

std::optional<scoring::Bm25Parameters> own_bm25(const SearchParameters& parameters,
                                                const scoring::Bm25Parameters& of_generation) {
  if (parameters.rank == wire::Rank::kNone) return {};
  const scoring::Bm25Parameters asked{parameters.k1.value_or(of_generation.k1), parameters.b.value_or(of_generation.b)};
  return asked == of_generation ? std::nullopt : std::optional(asked);
}

scoring::PriorWeight prior_weight(const SearchParameters& parameters) {
  if (parameters.rank == wire::Rank::kNone) return scoring::kUsualPriorWeight;
  return scoring::prior_weight_of(parameters.prior_weight);
}

bool is_costly(const SearchParameters& parameters, std::size_t terms) {
  return parameters.processor == wire::Processor::kExhaustive || parameters.k > wire::kCostlyDocuments ||
         parameters.offset + parameters.k > wire::kCostlyDepth || terms > wire::kCostlyTerms;
}

std::shared_ptr<Evaluation> Evaluation::start(scatter::ScatterContext& scatter, Admission& admission,
                                              std::shared_ptr<const Question> question, Deadline deadline, Done done) {
  auto evaluation = std::make_shared<Evaluation>(admission, question->kind);
  const auto over = [evaluation, question, done = std::move(done)](const merge::Page& page) {
    evaluation->over_ = true;
    evaluation->search_ = nullptr;
    evaluation->admission_.end(evaluation->kind_);
    done(rendered(*question, page));
  };
  if (question->terms.empty()) {
    over(empty_page(*question));
    return evaluation;
  }
  auto search = scatter::search(scatter, plan_of(*question), deadline, over);
  if (!evaluation->over_) evaluation->search_ = std::move(search);
  return evaluation;
}

void Evaluation::stop() {
  if (std::exchange(over_, true)) return;
  if (const auto search = std::exchange(search_, nullptr)) search->abandon();
  admission_.end(kind_);
}

}  // namespace frond::broker::http
