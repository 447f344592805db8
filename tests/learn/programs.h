// Programs of these tests, as texts.
#pragma once

#include <string>

namespace asb::test {

/// A bar of shape targeting whose actuation is a network of the point and of a code per pose; `learn` as given.
std::string learning_bar(const std::string& learn, const std::string& solve_options = "");
/// The same with 40 steps of two poses of three, of network, code and gain.
std::string learning_bar();

}  // namespace asb::test
