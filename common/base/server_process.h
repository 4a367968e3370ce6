#pragma once
// What a process asks of the system before it starts.
#include <cstddef>
#include <cstdint>
#include <string>

namespace frond {

// Raises the limit of open files to the most that the system allows, and outlives whoever reads its log: a broken pipe
// is an error of that write, not the end of the process. Returns how many files and sockets may be open. Once, first
// of all in main().
std::size_t prepare_server_process();

// What people call the process, where nothing was said: this machine's name (in a pod, the pod's) and `port`.
std::string default_node_name(std::uint16_t port);

// An exception that nobody catches ends the process with its text on stderr, also where nobody reads that: the usual
// handler would wait for a reader for ever. Once, first of all in main().
void report_uncaught_exceptions();

}  // namespace frond
