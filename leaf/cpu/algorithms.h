#pragma once
// The CPU engine's algorithms.
#include <functional>

#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// AND: the k best of the documents that hold every term. Matches are counted as far as the plan asks. Unranked: the k
// first of them; all are counted, and nothing is scored or skipped by bounds.
//
// The shortest list, the driver, is read block by block. A block's documents are intersected with the next longer list,
// what remains with the next. They are looked up by that list's index if it has one, unless they are so many that to
// decode is faster: then, blocks are found by their last docIDs and decoded only if they may hold a remaining document.
// Scores are computed only for documents in all lists whose block bounds reach the threshold.
//
// Once enough matches are counted, bounds skip more: whole blocks of the driver, if their bound and those of the
// overlapping blocks of other lists stay below the threshold (Ding and Suel 2011, here for AND); then single documents,
// by their scores in the driver, before other lists are looked at and again before each of their blocks is decoded.
//
// Errors: kCorrupt, kDeadline.
// REQUIRES: at least one list, none of them empty.
Result<engine::Outcome> search_conjunction(const engine::Plan& plan, const Clock& clock);
// The documents that hold every term and are not hidden, nothing scored: visit() is given them as they are found,
// ascending, some at a time, and returns whether it wants more. Returns how many postings were decoded. Also errors of
// visit().
using VisitDocuments = std::function<Result<bool>(const DocId* docids, std::size_t count)>;
Result<std::uint64_t> visit_conjunction(const engine::Plan& plan, const Clock& clock, const VisitDocuments& visit);

// A query with one list: it is read once, block by block. Blocks whose bounds can't reach the threshold are not
// decoded. `matches` is the list's length, so it is exact.
//
// Errors: kCorrupt, kDeadline.
// REQUIRES: exactly one of the plan's lists has postings.
Result<engine::Outcome> search_single_term(const engine::Plan& plan, const Clock& clock);

// Plans that are not ranked: the k first documents that match, by docID, and the exact number of matches. Frequencies
// are not decoded and nothing is scored.
//
// One list: its length is the number; blocks are decoded until there are k documents. AND: search_conjunction(). OR:
// docIDs are marked, one window of documents at a time; windows without postings are skipped. For the
// number, if nothing is hidden, the longest list counts with its length, and is read only where others have documents.
//
// Errors: kCorrupt, kDeadline.
// REQUIRES: the plan is not ranked; one of its lists has postings, for AND all of them.
Result<engine::Outcome> search_unranked(const engine::Plan& plan, const Clock& clock);

// OR: the k documents with the highest sums over the terms that they hold.
//
// MaxScore (Turtle and Flood 1995) over windows of documents, with the bounds of the blocks that overlap the window
// (Chakrabarti, Chaudhuri, Ganti 2011). In each window the terms are ordered by bound. The terms with the lowest
// bounds, as many as together stay below the threshold, are non-essential. Essential lists are scored in vectors, block
// by block, and added up in an array over the window. Documents that may still reach the threshold are then looked up
// in the non-essential lists, highest bound first, by the lists' indexes where they have some. If all bounds together
// stay below the threshold, nothing is decoded. With at most one essential list, the window extends as far as the
// bounds hold.
//
// Sums are integers, so the split never changes a score. `matches` is exact while nothing was pruned, else the greater
// of the documents counted so far and the length of the longest list.
//
// Lists without postings are ignored. Errors: kCorrupt, kDeadline.
Result<engine::Outcome> search_disjunction(const engine::Plan& plan, const Clock& clock);

// OR where a filter leaves few documents: one after the other they are looked up in the lists, unless the bounds of the
// blocks that may have them stay below the threshold. `matches` is a lower bound once something was passed over.
//
// Errors: kCorrupt, kDeadline.
// REQUIRES: plan.hidden is not null; one of the lists has postings; k > 0.
Result<engine::Outcome> search_filtered_or(const engine::Plan& plan, const Clock& clock);
// Whether the plan's documents are few enough for this.
bool searches_few(const engine::Plan& plan);

}  // namespace frond::leaf::cpu
