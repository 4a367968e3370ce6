"""What check_try.py finds, and what it leaves alone."""
import unittest

from check_try import faults

FINE = """
#define FROND_TRY(...) ({ auto r = (__VA_ARGS__); r; })
FROND_TRY(a());
const auto x = FROND_TRY(a(b, c));
call(first, FROND_TRY(a()));
std::string s = std::string("x, {") + FROND_TRY(a());
return Key{FROND_TRY(a())};
list.push_back({FROND_TRY(a()), std::move(owner)});
const auto f = [value = FROND_TRY(a()), &other] { return value; };
const auto g = std::vector{1, [&]() -> Result<void> { FROND_TRY(a()); return {}; }};
Pair p{one, two}; FROND_TRY(a());
// Pair{one, FROND_TRY(a())}
const char* text = "Pair{one, FROND_TRY(a())}";
void function(int a, int b) { if (FROND_TRY(a()) && b < 1'000'000) { return; } }
for (int i = 0, n = 1'0; i < n; ++i) FROND_TRY(a());
enum Names { kOne, kTwo };
"""

WRONG = """
Pair p{std::move(one), FROND_TRY(a())};
return Asked{std::move(one), FROND_EXPECT_OK(a())};
list.push_back({FROND_TRY(a()), FROND_TRY(b())});
return Place{.first = std::move(one),
             .second = FROND_TRY(a())};
take({{1, one}, {FROND_TRY(a())}});
const auto f = [one, value = FROND_TRY(a())] { return value; };
const std::vector<Owner> owners = {one, call(FROND_TRY(a()))};
"""


class CheckTry(unittest.TestCase):
    def test_leaves_alone_what_is_destroyed(self):
        self.assertEqual(faults(FINE), [])

    def test_finds_each_part_that_is_not(self):
        self.assertEqual(faults(WRONG), [2, 3, 4, 6, 7, 8, 9])


if __name__ == "__main__":
    unittest.main()
