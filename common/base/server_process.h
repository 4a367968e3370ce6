#pragma once
// What a process sets up with the system when it starts.
#include <cstddef>
#include <cstdint>
#include <string>

namespace frond {

// Raises the limit of open files to the system's maximum, ignores SIGPIPE (so that a closed pipe is an error of one
// write, not the end of the process), and calls report_uncaught_exceptions(). Returns how many files and sockets may be
// open. Called once, first in main().
std::size_t prepare_server_process();

// The name of a process that was given none: "<host name>:<port>". In a pod the host name is the pod's.
std::string default_node_name(std::uint16_t port);

// Makes an uncaught exception write its text to stderr and abort. The C++ library's handler would block for ever if
// stderr is a pipe that is not read. Called once, first in main().
void report_uncaught_exceptions();

}  // namespace frond
