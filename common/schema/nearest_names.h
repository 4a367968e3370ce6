#pragma once
// What somebody may have meant by a name that does not exist. Pure functions.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frond::schema {

// How many bytes must be added, removed, replaced or swapped with their neighbour; capital and small ASCII letters are
// equal. Only the first 64 bytes of each name count, so that the time has a bound.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest first, equally near ones in byte order; fewer than `count` if there are no more.
std::vector<std::string_view> nearest_names(std::string_view wanted, std::span<const std::string_view> names,
                                            std::size_t count = 3);
// "; the nearest names are year, yes, yen" or "", for the end of a message.
std::string nearest_hint(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace frond::schema
