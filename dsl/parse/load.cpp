// Modules are parsed in the order in which they are met (a list, so that no chain of `use` is too
// long), then ordered so that each comes after those it uses; a cycle shows in that ordering.
#include "dsl/parse/load.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/atomic_file.h"
#include "dsl/ast/walk.h"
#include "dsl/parse/parser.h"

namespace asb {
namespace {

namespace fs = std::filesystem;
using namespace ast;

class Loader {
 public:
  Loader(LoadedProgram& program, std::vector<std::string> folders)
      : tree_(program.tree), sink_(program.diagnostics), folders_(std::move(folders)) {}

  void load_main(const std::string& name, const std::string& path, std::string text) {
    tree_.main = add_module(fs::path(name).stem().string(), name, std::move(text));
    if (!path.empty()) by_path_[identity(path)] = tree_.main;
    load_prelude();
    for (size_t next = 0; next < tree_.modules.size(); ++next) {
      const ModuleId module(static_cast<uint32_t>(next));
      const size_t first = sink_.diagnostics().size();
      Parser(tree_, tree_.modules[module].file, sink_).parse_module(module);
      sink_.sort_from(first);
      load_used_by(module);
    }
    order();
  }

 private:
  struct UseEdge {
    DeclId use;
    ModuleId to;
  };

  static std::string identity(const std::string& path) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(path, error);
    return error ? path : canonical.string();
  }

  ModuleId add_module(std::string name, const std::string& shown, std::string text) {
    const uint32_t file = tree_.files.add(shown, std::move(text));
    uses_.emplace_back();
    return tree_.modules.add({std::move(name), file, {}, {}});
  }

  void load_prelude() {
    for (const std::string& folder : folders_) {
      const std::string path = (fs::path(folder) / "prelude.asb").string();
      std::error_code error;
      if (!fs::exists(path, error)) continue;
      tree_.prelude = module_at(path, "prelude", {});
      return;
    }
  }

  /// The module in the file at `path`; absent, with a diagnostic at `use`, if it can't be read.
  ModuleId module_at(const std::string& path, std::string name, Span use) {
    const auto [known, is_new] = by_path_.try_emplace(identity(path), ModuleId());
    if (!is_new) return known->second;
    Result<std::string> text = read_file(path, kMaxSourceBytes);
    if (!text)
      sink_.error(DiagnosticKind::FileNotReadable, use, text.error().message);
    else
      known->second = add_module(std::move(name), path, std::move(*text));
    return known->second;
  }

  void load_used_by(ModuleId module) {
    // By index: parsing and loading grow the stores.
    for (size_t i = 0; i < tree_.modules[module].declarations.size(); ++i) {
      const DeclId id = tree_.modules[module].declarations[i];
      const auto* use = std::get_if<UseDecl>(&tree_.declarations[id].kind);
      if (!use || use->path.empty()) continue;
      const ModuleId to = find(*use);
      std::get<UseDecl>(tree_.declarations[id].kind).module = to;
      if (to) uses_[module.index].push_back({id, to});
    }
  }

  ModuleId find(const UseDecl& use) {
    fs::path relative;
    std::string name;
    for (const Ident& part : use.path) {
      relative /= part.text;
      if (!name.empty()) name += '.';
      name += part.text;
    }
    relative += ".asb";
    Span span = use.path.front().span;
    span.end = use.path.back().span.end;
    std::string tried;
    for (const std::string& folder : folders_) {
      const std::string path = (fs::path(folder) / relative).string();
      std::error_code error;
      if (fs::exists(path, error)) return module_at(path, std::move(name), span);
      tried += fmt::format("{}`{}`", tried.empty() ? "" : ", ", path);
    }
    Diagnostic& d = sink_.error(DiagnosticKind::ModuleNotFound, span, name, tried);
    if (tried.empty()) d.with_hint("name a folder that holds modules");
    return {};
  }

  /// Depth first from every module, without recursion. An edge to a module that is still open
  /// closes a cycle; its `use` is reported and its module taken as absent.
  void order() {
    enum class Mark : uint8_t { New, Open, Done };
    std::vector<Mark> marks(tree_.modules.size(), Mark::New);
    std::vector<size_t> next_edge(tree_.modules.size(), 0);
    std::vector<ModuleId> path;
    const auto start = [&](ModuleId root) {
      if (!root || marks[root.index] != Mark::New) return;
      path.push_back(root);
      marks[root.index] = Mark::Open;
      while (!path.empty()) {
        const ModuleId module = path.back();
        if (next_edge[module.index] == uses_[module.index].size()) {
          marks[module.index] = Mark::Done;
          tree_.order.push_back(module);
          path.pop_back();
          continue;
        }
        const UseEdge edge = uses_[module.index][next_edge[module.index]++];
        if (marks[edge.to.index] == Mark::Open) {
          report_cycle(path, edge);
        } else if (marks[edge.to.index] == Mark::New) {
          marks[edge.to.index] = Mark::Open;
          path.push_back(edge.to);
        }
      }
    };
    start(tree_.prelude);
    start(tree_.main);
  }

  void report_cycle(const std::vector<ModuleId>& path, const UseEdge& edge) {
    std::string names;
    for (auto m = std::find(path.begin(), path.end(), edge.to); m != path.end(); ++m)
      names += fmt::format("`{}` → ", tree_.modules[*m].name);
    names += fmt::format("`{}`", tree_.modules[edge.to].name);
    sink_.error(DiagnosticKind::UseCycle, tree_.declarations[edge.use].span, names);
    std::get<UseDecl>(tree_.declarations[edge.use].kind).module = {};
  }

  SyntaxTree& tree_;
  DiagnosticSink& sink_;
  std::vector<std::string> folders_;
  std::map<std::string, ModuleId> by_path_;  // absent: the file could not be read
  std::vector<std::vector<UseEdge>> uses_;   // by module
};

}  // namespace

LoadedProgram load_program(const std::string& path,
                           const std::vector<std::string>& search_folders) {
  LoadedProgram program;
  Result<std::string> text = read_file(path, kMaxSourceBytes);
  if (!text) program.diagnostics.error(DiagnosticKind::FileNotReadable, {}, text.error().message);
  std::vector<std::string> folders = {fs::path(path).parent_path().string()};
  folders.insert(folders.end(), search_folders.begin(), search_folders.end());
  Loader(program, folders).load_main(path, path, text ? std::move(*text) : std::string());
  return program;
}

ast::ExprId parse_expression(ast::SyntaxTree& tree, const std::string& name, std::string text,
                             DiagnosticSink& sink) {
  return Parser(tree, tree.files.add(name, std::move(text)), sink).parse_expression();
}

LoadedProgram load_text(const std::string& name, std::string text,
                        const std::vector<std::string>& search_folders) {
  LoadedProgram program;
  Loader(program, search_folders).load_main(name, "", std::move(text));
  return program;
}

}  // namespace asb
