// The LibTorch plug-in in tests: ASSERT_ENGINE skips a test where it isn't built, and fails where it doesn't open.
#pragma once

#include <gtest/gtest.h>

#include "runtime/networks/learner.h"

#define ASSERT_ENGINE(engine, precision)                                                            \
  auto engine = ::asb::open_torch(precision);                                                       \
  if (!engine && engine.error().name == "torch-missing") GTEST_SKIP() << engine.error().message;    \
  ASSERT_TRUE(engine) << engine.error().message
