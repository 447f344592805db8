// The parts of result.json that the page uses as well. Private to this folder.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/report/result.h"

namespace asb {

/// A number, or "nan", "inf", "-inf", which JSON has no numbers for.
nlohmann::ordered_json json_number(double value);

/// Names, notes, outputs, solves and timings.
nlohmann::ordered_json json_summary(const RunResult& result);

/// Text in UTF-8; bytes that aren't become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json, int indent);

}  // namespace asb
