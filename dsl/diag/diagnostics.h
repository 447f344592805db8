// What is said to a user about a program: registered kinds (diagnostics.def), the diagnostic with
// its places, notes and hint, the sink that collects them, and how they are shown.
// Every stage of dsl/ reports here; the rest of the product converts to Error at its border.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/span.h"
#include "dsl/source/source_files.h"

namespace asb {

enum class DiagnosticKind : uint16_t {
#define ASB_DIAGNOSTIC(kind, name, wording, hint) kind,
#include "dsl/diag/diagnostics.def"
#undef ASB_DIAGNOSTIC
};

enum class Severity : uint8_t { Error, Warning };

/// The registered texts of a kind: `name` in kebab case, `wording` and `hint` with {} for
/// arguments.
struct DiagnosticEntry {
  DiagnosticKind kind;
  std::string_view name;
  std::string_view wording;
  std::string_view hint;
};
const DiagnosticEntry& entry_of(DiagnosticKind kind);
/// All entries, in the order of diagnostics.def.
const std::vector<DiagnosticEntry>& all_diagnostics();

/// A further place with a few words beside it; shown under its own line.
struct Label {
  Span span;
  std::string text;
};

struct Diagnostic {
  DiagnosticKind kind{};
  Severity severity = Severity::Error;
  std::string message;
  Span primary;
  std::string primary_text;  ///< a few words under the caret; may be empty
  std::vector<Label> labels;
  std::vector<std::string> notes;
  std::string hint;

  std::string_view name() const { return entry_of(kind).name; }

  // For chaining after DiagnosticSink::error().
  Diagnostic& label(Span span, std::string text) {
    labels.push_back({span, std::move(text)});
    return *this;
  }
  Diagnostic& caret_text(std::string text) {
    primary_text = std::move(text);
    return *this;
  }
  Diagnostic& note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
  }
  /// Replaces the registered hint by one that knows the case better.
  Diagnostic& with_hint(std::string text) {
    hint = std::move(text);
    return *this;
  }
};

/// Collects diagnostics. After kMaxErrors further errors are counted and not kept.
class DiagnosticSink {
 public:
  static constexpr size_t kMaxErrors = 100;

  /// Reports `kind` at `span`; the arguments fill {0}, {1}, … of its wording and of its hint.
  /// The reference is good until the next report.
  template <class... Args>
  Diagnostic& error(DiagnosticKind kind, Span span, const Args&... args) {
    return add(kind, Severity::Error, span, fmt::make_format_args(args...));
  }
  template <class... Args>
  Diagnostic& warning(DiagnosticKind kind, Span span, const Args&... args) {
    return add(kind, Severity::Warning, span, fmt::make_format_args(args...));
  }

  bool has_errors() const { return n_errors_ > 0; }
  size_t n_errors() const { return n_errors_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// Puts those from number `first` on in the order of their places; a file is read in two rounds.
  void sort_from(size_t first);

 private:
  Diagnostic& add(DiagnosticKind kind, Severity severity, Span span, fmt::format_args args);

  std::vector<Diagnostic> diagnostics_;
  Diagnostic dropped_;  ///< what chained calls write to once the sink is full
  size_t n_errors_ = 0;
};

/// `file:line:col: error: … [name]`, the source line, carets and underlines, labels, notes, hint.
std::string render(const Diagnostic& diagnostic, const SourceFiles& files);
/// An error of a later stage in the same form.
std::string render(const Error& error, const SourceFiles& files);
/// All of a sink, in order, with a closing line if some were not kept.
std::string render(const DiagnosticSink& sink, const SourceFiles& files);
/// A JSON array of objects {name, severity, message, file, line, column, end_line, end_column,
/// labels, notes, hint}.
std::string to_json(const DiagnosticSink& sink, const SourceFiles& files);
/// The form in which errors cross folders.
Error to_error(const Diagnostic& diagnostic);

}  // namespace asb
