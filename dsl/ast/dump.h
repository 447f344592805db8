// The tree as indented text, one node a line: for tests and for looking at what the parser made.
#pragma once

#include <string>

#include "dsl/ast/ast.h"

namespace asb::ast {

/// Everything that the module says and nothing about where: two texts mean the same to later
/// stages exactly if their dumps are equal.
std::string dump_ast(const SyntaxTree& tree, ModuleId module);
std::string dump_ast(const SyntaxTree& tree, ExprId expr);

/// `kg/m^3`, `s^-1`; "" for none.
std::string to_string(const Unit& unit);
/// The shortest text that reads back as the same number; with a point or an exponent unless
/// `is_integer`.
std::string to_string(const Number& number);
/// With quotes and escapes.
std::string quoted_text(const std::string& text);

}  // namespace asb::ast
