// The registry as a table, and the sink.
#include "dsl/diag/diagnostics.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace asb {

const std::vector<DiagnosticEntry>& all_diagnostics() {
  static const std::vector<DiagnosticEntry> entries = {
#define ASB_DIAGNOSTIC(kind, name, wording, hint) {DiagnosticKind::kind, name, wording, hint},
#include "dsl/diag/diagnostics.def"
#undef ASB_DIAGNOSTIC
  };
  return entries;
}

const DiagnosticEntry& entry_of(DiagnosticKind kind) {
  const auto index = static_cast<size_t>(kind);
  ASB_CHECK(index < all_diagnostics().size(), "a registered diagnostic");
  return all_diagnostics()[index];
}

Diagnostic& DiagnosticSink::add(DiagnosticKind kind, Severity severity, Span span,
                                fmt::format_args args) {
  if (severity == Severity::Error) ++n_errors_;
  if (diagnostics_.size() >= kMaxErrors) {  // formatting ten million messages takes a while
    dropped_ = {};
    return dropped_;
  }
  const DiagnosticEntry& entry = entry_of(kind);
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.severity = severity;
  diagnostic.message = fmt::vformat(entry.wording, args);
  diagnostic.primary = span;
  diagnostic.hint = fmt::vformat(entry.hint, args);
  diagnostics_.push_back(std::move(diagnostic));
  return diagnostics_.back();
}

void DiagnosticSink::sort_from(size_t first) {
  const auto begin =
      diagnostics_.begin() + static_cast<std::ptrdiff_t>(std::min(first, diagnostics_.size()));
  std::stable_sort(begin, diagnostics_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.primary.file, a.primary.begin) < std::pair(b.primary.file, b.primary.begin);
  });
}

Error to_error(const Diagnostic& diagnostic) {
  return {std::string(diagnostic.name()), diagnostic.message, diagnostic.hint, diagnostic.primary};
}

}  // namespace asb
