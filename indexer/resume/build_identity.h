#pragma once
// Which build it is: the program, the options that decide what is published, and the inputs. A build goes on with what
// another one left only if all of these are the same. Numbers of threads and devices do not count: they do not change a
// byte of the index. The memory limit does, since records too large for it are refused.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "indexer/ingest/files/input_list.h"

namespace frond::indexer::resume {

struct BuildIdentity {
  std::string program;                                       // version and checksum
  std::vector<std::pair<std::string, std::string>> options;  // by flag: {"--stemmer", "porter"}
  ingest::InputSummary input;                                // its checksum is of paths, sizes and times of change
  friend bool operator==(const BuildIdentity&, const BuildIdentity&) = default;
};

// The program that runs. Two different builds of the program differ in it.
std::string this_program();

// No value: an input is not a file or folder that can be read a second time, such as a pipe.
std::optional<ingest::InputSummary> input_identity(std::span<const std::filesystem::path> inputs, bool hidden);

// For people, the first thing that is not the same: "--stemmer was porter, and is none now". Empty: all is the same.
std::string difference(const BuildIdentity& before, const BuildIdentity& now);

}  // namespace frond::indexer::resume
