// The table that the measurements fill: sections of rows, printed as text and written as JSON.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace asb::bench {

/// One entry: nothing, a text, or a number with three digits that count.
using Cell = std::variant<std::monostate, std::string, double>;

struct Row {
  std::string label;
  std::vector<Cell> cells;
};

struct Section {
  std::string title;
  std::vector<std::string> columns;  ///< beside the label
  std::vector<Row> rows;
  std::vector<std::string> notes;    ///< sentences below the rows

  void row(std::string label, std::vector<Cell> cells) { rows.push_back({std::move(label), std::move(cells)}); }
  void note(std::string text) { notes.push_back(std::move(text)); }
};

std::string as_text(const Section& section);
std::string as_json(const std::vector<Section>& sections);

}  // namespace asb::bench
