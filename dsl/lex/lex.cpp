// The newline rules are in finish_line(), the pairing of brackets in close() and close_unclosed().
#include "dsl/lex/lex.h"

#include <algorithm>

#include "dsl/source/utf8.h"

namespace asb {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// What people paste instead of a sign of the language; for the hint.
std::string_view meant_by(uint32_t code_point) {
  switch (code_point) {
    case 0x2212:
    case 0x2013:
    case 0x2014:
      return "-";
    case 0xD7:
    case 0xB7:
    case 0x22C5:
      return "*";
    case 0x2018:
    case 0x2019:
      return "'";
    case 0x201C:
    case 0x201D:
      return "\"";
    case 0x2264:
      return "<=";
    case 0x2265:
      return ">=";
    case 0x2260:
      return "!=";
    case 0xA0:
    case 0x2009:
    case 0x202F:
      return " ";
    case '&':
      return "and";
    case '|':
      return "or";
    case '!':
      return "not";
    case '#':
      return "//";
    default:
      return {};
  }
}

class Lexer {
 public:
  Lexer(const SourceFiles& files, uint32_t file, DiagnosticSink& sink)
      : text_(files[file].text), file_(file), sink_(sink) {}

  TokenStream run() {
    check_utf8();
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") pos_ = 3;  // byte order mark
    while (skip_blanks()) token();
    while (!open_.empty()) close_unclosed(0);
    add(TokenKind::EndOfFile, pos_, pos_);
    std::sort(out_.errors.begin(), out_.errors.end());
    return std::move(out_);
  }

 private:
  struct OpenBracket {
    TokenKind kind;
    uint32_t begin;
  };

  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  Span span(uint32_t begin, uint32_t end) const { return {file_, begin, end}; }

  template <class... Args>
  Diagnostic& report(DiagnosticKind kind, uint32_t begin, uint32_t end, const Args&... args) {
    out_.errors.push_back(begin);
    return sink_.error(kind, span(begin, end), args...);
  }

  void check_utf8() {
    bool was_bad = false;
    for (uint32_t i = 0; i < text_.size();) {
      const uint32_t length =
          static_cast<unsigned char>(text_[i]) < 0x80 ? 1 : decode_utf8(text_, i).length;
      if (length == 0 && !was_bad)  // one report for a run of them
        report(DiagnosticKind::BadUtf8, i, i + 1,
               fmt::format("0x{:02X}", static_cast<unsigned char>(text_[i])));
      was_bad = length == 0;
      i += length ? length : 1;
    }
  }

  void add(TokenKind kind, uint32_t begin, uint32_t end, bool is_synthetic = false) {
    out_.tokens.push_back({kind, is_synthetic, begin, end});
  }

  /// Blanks, newlines and comments up to the next token; false at the end of the text.
  bool skip_blanks() {
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (c == '\n') {
        ++pos_;
        ++newlines_;
        if (newlines_ >= 2) detach_doc();
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++pos_;
      } else if (c == '/' && at(pos_ + 1) == '/') {
        comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void comment() {
    const size_t end = std::min(text_.find('\n', pos_), text_.size());
    std::string_view line = text_.substr(pos_, end - pos_);
    const bool is_own_line = newlines_ > 0 || pos_ == 0 || in_doc_ || line_break_seen_;
    const bool is_doc = line.size() >= 3 && line[2] == '/' && at(pos_ + 3) != '/' && is_own_line;
    if (is_doc) {
      line.remove_prefix(3);
      if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
      if (in_doc_)
        out_.docs.back().text.append("\n").append(line);
      else
        out_.docs.push_back({std::string(line), static_cast<uint32_t>(out_.tokens.size()), true});
      doc_is_open_ = true;
    }
    in_doc_ = is_doc;
    line_break_seen_ = line_break_seen_ || newlines_ > 0;
    newlines_ = 0;
    pos_ = static_cast<uint32_t>(end);
  }

  void detach_doc() {
    if (doc_is_open_) out_.docs.back().is_attached = false;
    doc_is_open_ = in_doc_ = false;
  }

  /// A newline before this token ends the statement unless one of the rules makes it blank space.
  void finish_line(TokenKind next, uint32_t begin) {
    const bool at_new_line = newlines_ > 0 || line_break_seen_;
    newlines_ = 0;
    line_break_seen_ = false;
    if (!at_new_line || out_.tokens.empty()) return;
    if (next == TokenKind::Name) close_before_declaration(begin);
    const Token& last = out_.tokens.back();
    const bool in_parens = !open_.empty() && open_.back().kind != TokenKind::LeftBrace;
    const TokenTraits before = traits_of(last.kind);
    if (in_parens || last.kind == TokenKind::End || before == TokenTraits::Continues ||
        before == TokenTraits::Operator || traits_of(next) == TokenTraits::Clause)
      return;
    if (traits_of(next) == TokenTraits::Operator) {
      report(DiagnosticKind::LeadingOperator, begin,
             begin + static_cast<uint32_t>(spelling_of(next).size()), spelling_of(next));
      return;  // read on as if the operator ended the line above
    }
    add(TokenKind::End, last.end, last.end);
  }

  /// `mesh body …` at the start of a line can't stand inside ( ) or [ ], nor in column 1 inside {
  /// }: a bracket above was not closed.
  void close_before_declaration(uint32_t begin) {
    if (open_.empty()) return;
    uint32_t end = begin;
    while (is_ascii_letter(at(end))) ++end;
    const std::string_view word = text_.substr(begin, end - begin);
    if (!is_declaration_word(word) || at(end) != ' ' || !is_ascii_letter(at(end + 1))) return;
    uint32_t next_end = end + 1;
    while (is_ascii_letter(at(next_end)) || is_digit(at(next_end))) ++next_end;
    const std::string_view next = text_.substr(end + 1, next_end - end - 1);
    // `points as (a, b)` may well stand inside brackets.
    if (word_kind(next) != TokenKind::Name && !(word == "time" && next == "for")) return;
    const bool in_column_1 = begin == 0 || text_[begin - 1] == '\n';
    const bool ends_all = in_column_1 && word != "let" && word != "weight";
    while (!open_.empty() && (ends_all || open_.back().kind != TokenKind::LeftBrace))
      close_unclosed(begin);
  }

  void token() {
    const uint32_t begin = pos_;
    const char c = text_[pos_];
    if (is_digit(c) || (c == '.' && is_digit(at(pos_ + 1)))) return number();
    if (c == '"') return text();
    if (is_ascii_letter(c) || static_cast<unsigned char>(c) >= 0x80) {
      while (pos_ < text_.size() && name_letter()) {
      }
      if (pos_ == begin) return unexpected();
      const TokenKind kind = word_kind(text_.substr(begin, pos_ - begin));
      finish_line(kind, begin);
      return add_token(kind, begin);
    }
    sign();
  }

  /// Steps over one letter or digit of a name.
  bool name_letter() {
    if (is_ascii_letter(text_[pos_]) || is_digit(text_[pos_])) return ++pos_, true;
    if (static_cast<unsigned char>(text_[pos_]) < 0x80) return false;
    const CodePoint c = decode_utf8(text_, pos_);
    if (c.length == 0 || !is_name_letter(c.value)) return false;
    return pos_ += c.length, true;
  }

  void add_token(TokenKind kind, uint32_t begin) {
    if (doc_is_open_)  // an End may have come between
      out_.docs.back().next_token = static_cast<uint32_t>(out_.tokens.size());
    doc_is_open_ = in_doc_ = false;
    add(kind, begin, pos_);
  }

  void number() {
    const uint32_t begin = pos_;
    finish_line(TokenKind::Number, begin);
    const auto digits = [&] {
      while (is_digit(at(pos_))) ++pos_;
    };
    digits();
    bool is_bad_point = pos_ == begin;  // `.5`
    if (at(pos_) == '.' && at(pos_ + 1) != '.') {
      is_bad_point = is_bad_point || !is_digit(at(pos_ + 1));  // `1.`
      ++pos_;
      digits();
    }
    if (at(pos_) == 'e' || at(pos_) == 'E') {
      const uint32_t sign = at(pos_ + 1) == '+' || at(pos_ + 1) == '-' ? 1 : 0;
      if (is_digit(at(pos_ + 1 + sign))) {
        pos_ += 1 + sign;
        digits();
      }
    }
    if (is_bad_point)
      report(DiagnosticKind::DecimalPoint, begin, pos_, text_.substr(begin, pos_ - begin));
    add_token(TokenKind::Number, begin);
  }

  void text() {
    const uint32_t begin = pos_++;
    finish_line(TokenKind::Text, begin);
    while (pos_ < text_.size() && text_[pos_] != '"' && text_[pos_] != '\n') {
      if (text_[pos_] == '\\') {
        if (at(pos_ + 1) != '"' && at(pos_ + 1) != '\\')
          report(DiagnosticKind::UnknownEscape, pos_, pos_ + 1);
        else
          ++pos_;
      }
      ++pos_;
    }
    if (at(pos_) == '"') {
      ++pos_;
    } else {
      if (pos_ > begin + 1 && text_[pos_ - 1] == '\r') --pos_;
      unclosed_text_ = begin;
      unclosed_text_line_ = static_cast<uint32_t>(text_.rfind('\n', begin) + 1);
      report(DiagnosticKind::UnclosedText, begin, pos_);
    }
    add_token(TokenKind::Text, begin);
  }

  void sign() {
    using enum TokenKind;
    // Longer spellings first.
    constexpr TokenKind kSigns[] = {Arrow,        FatArrow,  EqualEqual, NotEqual,   LessEqual,
                                    GreaterEqual, Dots,      LeftParen,  RightParen, LeftBracket,
                                    RightBracket, LeftBrace, RightBrace, Comma,      Colon,
                                    Assign,       Dot,       Prime,      Plus,       Minus,
                                    Star,         Slash,     Caret,      Less,       Greater};
    const uint32_t begin = pos_;
    if (text_[pos_] == ';') {
      newlines_ = 0;
      line_break_seen_ = false;
      ++pos_;
      if (!out_.tokens.empty() && out_.tokens.back().kind != End) add(End, begin, pos_);
      return;
    }
    for (const TokenKind kind : kSigns) {
      const std::string_view spelling = spelling_of(kind);
      if (text_.substr(pos_, spelling.size()) != spelling) continue;
      finish_line(kind, begin);
      pos_ += static_cast<uint32_t>(spelling.size());
      if (kind == LeftParen || kind == LeftBracket || kind == LeftBrace) {
        open_.push_back({kind, begin});
        ++n_open_[slot(kind)];
      } else if (kind == RightParen || kind == RightBracket || kind == RightBrace) {
        return close(kind, begin);
      }
      return add_token(kind, begin);
    }
    unexpected();
  }

  static size_t slot(TokenKind opening) {
    return opening == TokenKind::LeftParen ? 0 : opening == TokenKind::LeftBracket ? 1 : 2;
  }
  static TokenKind closing_of(TokenKind opening) {
    return opening == TokenKind::LeftParen     ? TokenKind::RightParen
           : opening == TokenKind::LeftBracket ? TokenKind::RightBracket
                                               : TokenKind::RightBrace;
  }
  static TokenKind opening_of(TokenKind closing) {
    return closing == TokenKind::RightParen     ? TokenKind::LeftParen
           : closing == TokenKind::RightBracket ? TokenKind::LeftBracket
                                                : TokenKind::LeftBrace;
  }

  void close(TokenKind kind, uint32_t begin) {
    const TokenKind opening = opening_of(kind);
    if (n_open_[slot(opening)] == 0) {
      if (open_.empty()) {
        report(DiagnosticKind::UnmatchedBracket, begin, pos_, spelling_of(kind),
               spelling_of(opening));
        return;  // dropped
      }
      const OpenBracket open = open_.back();  // `(a, b]`: take it for the right one
      report(DiagnosticKind::MismatchedBracket, begin, pos_, spelling_of(kind),
             spelling_of(open.kind), spelling_of(closing_of(open.kind)))
          .label(span(open.begin, open.begin + 1), "opened here");
      kind = closing_of(open.kind);
    }
    while (open_.back().kind != opening_of(kind)) close_unclosed(begin);
    --n_open_[slot(open_.back().kind)];
    open_.pop_back();
    add_token(kind, begin);
  }

  /// Reports the innermost bracket as unclosed and closes it before `where` (0: the end of the
  /// text).
  void close_unclosed(uint32_t where) {
    const OpenBracket open = open_.back();
    const TokenKind closing = closing_of(open.kind);
    if (open.begin < unclosed_text_ && open.begin >= unclosed_text_line_) {
      out_.errors.push_back(open.begin);  // the text has swallowed the bracket that closes it
    } else {
      Diagnostic& d = report(DiagnosticKind::UnclosedBracket, open.begin, open.begin + 1,
                             spelling_of(open.kind), spelling_of(closing));
      if (where)
        d.label(span(where, where + 1),
                fmt::format("expected `{}` before this", spelling_of(closing)));
    }
    const uint32_t end = out_.tokens.empty() ? 0 : out_.tokens.back().end;
    add(closing, end, end, true);
    --n_open_[slot(open.kind)];
    open_.pop_back();
  }

  /// A character that begins no token; a run of the same is reported once and skipped.
  void unexpected() {
    const uint32_t begin = pos_;
    const CodePoint c = decode_utf8(text_, pos_);
    if (c.length == 0) {  // reported by check_utf8()
      ++pos_;
      return;
    }
    const std::string_view same = text_.substr(pos_, c.length);
    while (text_.substr(pos_, c.length) == same) pos_ += c.length;
    const bool is_visible = c.value > 0x20 && c.value != 0x7F && c.value != 0xA0;
    const std::string shown =
        is_visible ? fmt::format("`{}`", same) : fmt::format("U+{:04X}", c.value);
    Diagnostic& d = report(DiagnosticKind::UnexpectedCharacter, begin, begin + c.length, shown);
    const std::string_view meant = meant_by(c.value);
    if (meant == " ")
      d.with_hint("replace it by an ordinary blank");
    else if (!meant.empty())
      d.with_hint(fmt::format("write `{}`", meant));
  }

  std::string_view text_;
  uint32_t file_;
  DiagnosticSink& sink_;
  TokenStream out_;
  uint32_t pos_ = 0;
  std::vector<OpenBracket> open_;
  size_t n_open_[3] = {0, 0, 0};
  uint32_t newlines_ = 0;         // since the last token or comment
  bool line_break_seen_ = false;  // since the last token
  uint32_t unclosed_text_ = 0;    // where the last one begins, and its line
  uint32_t unclosed_text_line_ = 0;
  bool in_doc_ = false;       // the line above is a `///` line
  bool doc_is_open_ = false;  // the last doc comment is attached if a token comes now
};

}  // namespace

TokenStream lex(const SourceFiles& files, uint32_t file, DiagnosticSink& sink) {
  return Lexer(files, file, sink).run();
}

}  // namespace asb
