#pragma once
// Who may change a collection in a folder, where services write it with a lease (ADR 38). Each epoch has a folder of
// its own, its gate: "writing/<epoch>-<log>". All that is published or removed in the epoch passes through it: it is
// renamed from outside into the gate, or from the gate to its place. Whoever begins a later epoch removes the gates of
// those before. So a writer that was stopped at any instant, and goes on, finds that the next rename fails: to look at
// the epoch and to replace CURRENT are one step of the file system.
//
// Only beginning an epoch makes its gate, and nothing else may make folders on the way to it or in it: what is built is
// outside. A gate that was removed never comes back: a log is open once, and what it began an epoch for is dead when it
// begins the next one. Where the service's gate is lost (a copied repository), commands have one of their own,
// "<epoch>-commands". Internal to this folder.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/repository/files.h"
#include "common/repository/leases/writer_lease.h"

namespace frond::repository {

inline constexpr const char* kGatesFolder = "writing";
inline constexpr const char* kPassing = "passing";        // in a gate: what passes through it
inline constexpr const char* kScratchFolder = "scratch";  // what services build, in a folder for each log

std::filesystem::path gate_path(const std::filesystem::path& collection, std::uint64_t epoch, const std::string& log);
// NFS keeps a removed file that a process of this machine has open, as ".nfs…" in its folder, until it is closed. Until
// then neither can be removed.
enum class Gone { kWhole, kButOpenFiles };
// Removes a file or folder, and all that can be removed in it. kUnavailable: something else is left.
Result<Gone> remove_whole(const std::filesystem::path& path);
// Removes what is in the passage of a gate. What NFS keeps of it goes where close_gates() removes it later.
Result<void> remove_passing(const std::filesystem::path& gate);
// Makes an empty one, synced. Its parent must exist.
Result<void> make_gate(const std::filesystem::path& gate);
// Removes the gates of this epoch, of earlier ones and of other lives, but for `own`. When it returns, their writers
// change nothing any more. Synced. Of a folder that NFS keeps, the passage is blocked: a machine may reach it by what
// it remembers of the old name. kUnavailable: one could not be removed, so it may still be open.
Result<void> close_gates(const std::filesystem::path& collection, std::uint64_t epoch,
                         const std::filesystem::path& own);
// kUnavailable.
Error epoch_has_ended(std::uint64_t epoch, const std::string& why);

// What is in CURRENT; zeros: it is absent, or can't be understood.
Result<CurrentLine> current_line(const std::filesystem::path& collection);
// That have a record.
Result<std::vector<std::uint64_t>> recorded_epochs(const std::filesystem::path& collection);
// As LeasePlace::newest().
Result<std::optional<LeasePlace::Found>> newest_record(const std::filesystem::path& collection);
// Makes a folder, and those on the way to it; their names last.
Result<void> create_synced(const std::filesystem::path& folder);

}  // namespace frond::repository
