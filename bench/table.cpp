// See table.h.
#include "bench/table.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace asb::bench {
namespace {

std::string text_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) {
    const double a = std::abs(*number);
    if (a == 0) return "0";
    if (a >= 1e7) return fmt::format("{:.3g}", *number);
    if (a >= 100) return fmt::format("{:.0f}", *number);
    if (a >= 10) return fmt::format("{:.1f}", *number);
    if (a >= 1) return fmt::format("{:.2f}", *number);
    return fmt::format("{:.3g}", *number);
  }
  return "-";
}

}  // namespace

std::string as_text(const Section& section) {
  std::vector<std::vector<std::string>> lines{{""}};
  for (const std::string& c : section.columns) lines[0].push_back(c);
  for (const Row& row : section.rows) {
    lines.push_back({row.label});
    for (const Cell& cell : row.cells) lines.back().push_back(text_of(cell));
  }
  std::vector<size_t> width;
  for (const auto& line : lines)
    for (size_t k = 0; k < line.size(); ++k) {
      if (k >= width.size()) width.push_back(0);
      width[k] = std::max(width[k], line[k].size());
    }
  std::string out = fmt::format("\n## {}\n", section.title);
  for (const auto& line : lines) {
    out += fmt::format("{:<{}}", line[0], width[0]);
    for (size_t k = 1; k < line.size(); ++k) out += fmt::format("  {:>{}}", line[k], width[k]);
    out += '\n';
  }
  for (const std::string& n : section.notes) out += "  " + n + "\n";
  return out;
}

std::string as_json(const std::vector<Section>& sections) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Section& section : sections) {
    nlohmann::ordered_json s;
    s["title"] = section.title;
    for (const Row& row : section.rows) {
      nlohmann::ordered_json r;
      r["label"] = row.label;
      for (size_t k = 0; k < row.cells.size(); ++k) {
        if (const auto* text = std::get_if<std::string>(&row.cells[k])) r[section.columns[k]] = *text;
        if (const auto* number = std::get_if<double>(&row.cells[k])) r[section.columns[k]] = *number;
      }
      s["rows"].push_back(std::move(r));
    }
    s["notes"] = section.notes;
    out.push_back(std::move(s));
  }
  return out.dump(1) + "\n";
}

}  // namespace asb::bench
