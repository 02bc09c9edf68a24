//! Reads which file of a crate uses which: its arrows, the circles among them, and the arrows against an order of rooms.
//!
//! A file uses another if it names one of its items: in a `use`, or in a path in the code. `crate`, `self` and `super`, nested
//! groups and renamed imports are resolved, and re-exports are followed to the file that defines the item. Declarations
//! (`mod`, and a `pub use` whose name the file doesn't use itself) are no uses, and neither is test code.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use syn::visit::Visit;

/// A crate on disk.
pub struct Crate;

impl Crate {
    /// Reads the sources in a folder. Beside a `lib.rs`, programs (`main.rs`, `bin/`) are left out: nothing can use them.
    pub fn read(src: &Path) -> Result<Imports, String> {
        let mut files = Vec::new();
        collect(src, String::new(), &mut files)?;
        if files.iter().any(|(path, _)| path == "lib.rs") {
            files.retain(|(path, _)| path != "main.rs" && !path.starts_with("bin/"));
        }
        Imports::parse(files)
    }
}

fn collect(folder: &Path, prefix: String, files: &mut Vec<(String, String)>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            collect(&entry.path(), format!("{prefix}{name}/"), files)?;
        } else if name.ends_with(".rs") {
            files.push((format!("{prefix}{name}"), std::fs::read_to_string(entry.path()).map_err(failed)?));
        }
    }
    Ok(())
}

/// A module's place in the crate; the root has none.
type ModulePath = Vec<String>;

/// One file that uses another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The file that uses.
    pub from: String,
    /// The file that is used.
    pub to: String,
    /// What is used.
    pub items: BTreeSet<String>,
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<_> = self.items.iter().map(String::as_str).collect();
        write!(f, "{} -> {}: {}", self.from, self.to, items.join(", "))
    }
}

/// Files that use each other, and the arrows between them.
#[derive(Debug, PartialEq, Eq)]
pub struct Circle {
    /// The files, sorted.
    pub files: Vec<String>,
    /// The arrows that tie them.
    pub arrows: Vec<Arrow>,
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a circle of {} files", self.files.len())?;
        self.arrows.iter().try_for_each(|arrow| write!(f, "\n    {arrow}"))
    }
}

/// All arrows of a crate.
#[derive(Debug)]
pub struct Imports {
    arrows: Vec<Arrow>,
    modules: BTreeMap<String, ModulePath>,
}

impl Imports {
    /// Reads sources by their path below `src`.
    pub fn parse(files: impl IntoIterator<Item = (String, String)>) -> Result<Self, String> {
        let mut tree = Tree::default();
        let mut pending: BTreeMap<ModulePath, (String, syn::File)> = BTreeMap::new();
        for (path, text) in files {
            let parsed = syn::parse_file(&text).map_err(|error| format!("{path}: {error}"))?;
            pending.insert(module_path(&path), (path, parsed));
        }
        let root = pending.remove(&ModulePath::new()).ok_or("there is neither a lib.rs nor a main.rs")?;
        tree.add(ModulePath::new(), &root.0, &root.1.items, &mut pending)?;
        let modules = tree.modules.iter().map(|(path, module)| (module.file.clone(), path.clone())).rev().collect();
        Ok(Self { arrows: tree.arrows(), modules })
    }

    /// Every file that uses another.
    pub fn arrows(&self) -> &[Arrow] {
        &self.arrows
    }

    /// Every group of files that use each other.
    pub fn circles(&self) -> Vec<Circle> {
        let mut circles: Vec<Circle> = Vec::new();
        let reach: BTreeMap<&str, BTreeSet<&str>> = self.modules.keys().map(|file| (file.as_str(), self.reach(file))).collect();
        for file in self.modules.keys() {
            let with: Vec<&str> = reach[file.as_str()].iter().copied().filter(|other| reach[other].contains(file.as_str())).collect();
            if !with.is_empty() && !circles.iter().any(|circle| circle.files.contains(file)) {
                let inside = |arrow: &&Arrow| with.contains(&arrow.from.as_str()) && with.contains(&arrow.to.as_str());
                let arrows = self.arrows.iter().filter(inside).cloned().collect();
                circles.push(Circle { files: with.into_iter().map(str::to_owned).collect(), arrows });
            }
        }
        circles
    }

    /// The files that a file leads to, itself included only if it is in a circle.
    fn reach<'s>(&'s self, file: &'s str) -> BTreeSet<&'s str> {
        let (mut found, mut open) = (BTreeSet::new(), vec![file]);
        while let Some(from) = open.pop() {
            let next = self.arrows.iter().filter(|arrow| arrow.from == from).map(|arrow| arrow.to.as_str());
            open.extend(next.filter(|to| found.insert(*to)));
        }
        found
    }
}

/// A room: a name, and the modules in it.
pub struct Room {
    pub name: &'static str,
    pub modules: &'static [&'static str],
}

/// The rooms of a crate, level by level from the lowest to the highest. A room may use those on levels below it.
pub struct Rooms(pub &'static [&'static [Room]]);

impl Rooms {
    /// Fails unless the crate in this folder keeps the order of rooms, and none of its files use each other. `least` is a number of
    /// arrows that the crate has for sure: a reader that sees nothing would find nothing wrong.
    pub fn hold(&self, manifest: &str, least: usize) {
        let imports = Crate::read(&Path::new(manifest).join("src")).unwrap();
        assert!(imports.arrows().len() > least, "only {} arrows were found", imports.arrows().len());
        let violations = self.violations(&imports);
        assert!(violations.is_empty(), "against the order of rooms:\n{}", violations.join("\n"));
        let circles: Vec<_> = imports.circles().iter().map(ToString::to_string).collect();
        assert!(circles.is_empty(), "files use each other:\n{}", circles.join("\n"));
    }

    /// Says what is against the order, a sentence each.
    pub fn violations(&self, imports: &Imports) -> Vec<String> {
        imports.arrows().iter().filter_map(|arrow| self.violation(imports, arrow)).collect()
    }

    fn violation(&self, imports: &Imports, arrow: &Arrow) -> Option<String> {
        let room = |file: &String| self.room_of(&imports.modules[file]).ok_or_else(|| format!("{file} is in no room: {arrow}"));
        let ((above, from), (level, to)) = match (room(&arrow.from), room(&arrow.to)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(homeless), _) | (_, Err(homeless)) => return Some(homeless),
        };
        match level.cmp(&above) {
            std::cmp::Ordering::Less => None,
            std::cmp::Ordering::Equal if from == to => None,
            std::cmp::Ordering::Equal => Some(format!("`{from}` uses its neighbour `{to}`: {arrow}")),
            std::cmp::Ordering::Greater => Some(format!("`{from}` uses `{to}`, which is above it: {arrow}")),
        }
    }

    /// Level and name of a module's room. The root of the crate is above all rooms.
    fn room_of(&self, module: &ModulePath) -> Option<(usize, &'static str)> {
        if module.is_empty() {
            return Some((self.0.len(), "the root"));
        }
        let path = module.join("::");
        let holds = |known: &str| path.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        let mut rooms = self.0.iter().enumerate().flat_map(|(level, rooms)| rooms.iter().map(move |room| (level, room)));
        rooms.find(|(_, room)| room.modules.iter().any(|known| holds(known))).map(|(level, room)| (level, room.name))
    }
}

fn module_path(file: &str) -> ModulePath {
    let mut path: ModulePath = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    let is_root = path.len() == 1 && ["lib", "main"].contains(&path[0].as_str());
    if is_root || path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

/// An import or re-export: the name it has here, and what it names.
struct Import {
    name: String,
    path: Vec<String>,
    /// A re-export is a use only if its name is used in the file itself.
    is_export: bool,
}

#[derive(Default)]
struct Module {
    file: String,
    children: BTreeSet<String>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths in the code, of one name or more.
    paths: BTreeSet<Vec<String>>,
}

/// What a path leads to.
enum Target {
    Module(ModulePath),
    Item { file: String, name: String },
}

#[derive(Default)]
struct Tree {
    modules: BTreeMap<ModulePath, Module>,
}

impl Tree {
    fn add(
        &mut self,
        path: ModulePath,
        file: &str,
        items: &[syn::Item],
        pending: &mut BTreeMap<ModulePath, (String, syn::File)>,
    ) -> Result<(), String> {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let mut children = Vec::new();
        for item in items.iter().filter(|item| !is_test(attributes(item))) {
            module.items.extend(name_of(item));
            match item {
                syn::Item::Use(item) => read_use(&item.tree, &mut Vec::new(), !matches!(item.vis, syn::Visibility::Inherited), &mut module),
                syn::Item::Mod(item) => children.push(item),
                _ => Paths(&mut module.paths).visit_item(item),
            }
        }
        module.children = children.iter().map(|child| child.ident.to_string()).collect();
        self.modules.insert(path.clone(), module);
        for child in children {
            let mut inner = path.clone();
            inner.push(child.ident.to_string());
            match &child.content {
                Some((_, items)) => self.add(inner, file, items, pending)?,
                None => {
                    let (file, parsed) =
                        pending.remove(&inner).ok_or_else(|| format!("{file}: there is no file of `mod {}`", child.ident))?;
                    self.add(inner, &file, &parsed.items, pending)?;
                }
            }
        }
        Ok(())
    }

    fn arrows(&self) -> Vec<Arrow> {
        let mut arrows: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for (path, module) in &self.modules {
            let names: BTreeSet<&str> = module.paths.iter().filter_map(|path| path.first()).map(String::as_str).collect();
            let imported = module.imports.iter().filter(|import| !import.is_export || names.contains(import.name.as_str()));
            let used = imported.map(|import| &import.path).chain(module.paths.iter().filter(|path| path.len() > 1));
            for used in used {
                if let Some(Target::Item { file, name }) = self.resolve_in(path, used, 0)
                    && file != module.file
                {
                    arrows.entry((module.file.clone(), file)).or_default().insert(name);
                }
            }
        }
        arrows.into_iter().map(|((from, to), items)| Arrow { from, to, items }).collect()
    }

    /// Resolves a path as written in a module.
    fn resolve_in(&self, module: &ModulePath, path: &[String], depth: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.resolve_from(ModulePath::new(), rest, depth),
            "self" => self.resolve_from(module.clone(), rest, depth),
            "super" => {
                let mut above = module.clone();
                above.pop()?;
                // `super::super::x`
                self.resolve_in(&above, &[&["self".to_owned()], rest].concat(), depth)
            }
            name => {
                let known = self.modules.get(module)?;
                if known.children.contains(name) {
                    return self.resolve_from(module.clone(), path, depth);
                }
                // An item that is imported by name is counted where it is imported; a module that is imported leads on.
                let import = known.imports.iter().find(|import| import.name == name && import.path != path)?;
                match self.resolve_in(module, &import.path, depth + 1).filter(|_| depth < 16)? {
                    Target::Module(found) => self.resolve_from(found, rest, depth + 1),
                    Target::Item { .. } => None,
                }
            }
        }
    }

    /// Resolves what is left of a path, from a module on.
    fn resolve_from(&self, module: ModulePath, path: &[String], depth: usize) -> Option<Target> {
        let Some((first, rest)) = path.split_first() else { return Some(Target::Module(module)) };
        if first == "super" {
            return self.resolve_in(&module, path, depth);
        }
        let known = self.modules.get(&module)?;
        if known.children.contains(first) {
            let mut inner = module;
            inner.push(first.clone());
            // A child that isn't read is test code.
            return self.modules.contains_key(&inner).then(|| self.resolve_from(inner, rest, depth)).flatten();
        }
        let here = || Some(Target::Item { file: known.file.clone(), name: first.clone() });
        if known.items.contains(first) || depth > 16 {
            return here();
        }
        if let Some(import) = known.imports.iter().find(|import| import.name == *first) {
            let path = [&import.path, rest].concat();
            return self.resolve_in(&module, &path, depth + 1);
        }
        for import in known.imports.iter().filter(|import| import.name == "*" && first != "*") {
            let all = import.path.split_last().map(|(_, base)| [base, path].concat()).unwrap_or_default();
            if let Some(Target::Item { file, name }) = self.resolve_in(&module, &all, depth + 1)
                && self.defines(&file, &name)
            {
                return Some(Target::Item { file, name });
            }
        }
        // Defined by a macro, as far as can be seen.
        here()
    }

    fn defines(&self, file: &str, name: &str) -> bool {
        self.modules.values().any(|module| module.file == file && module.items.contains(name))
    }
}

/// Reads a tree of imports into single ones.
fn read_use(tree: &syn::UseTree, before: &mut Vec<String>, is_export: bool, module: &mut Module) {
    let mut import = |name: String, last: String| {
        let mut path = before.clone();
        // `use a::{self}` imports `a`.
        let name = if last == "self" { before.last().cloned().unwrap_or_default() } else { name };
        if last != "self" {
            path.push(last);
        }
        module.imports.push(Import { name, path, is_export });
    };
    match tree {
        syn::UseTree::Name(name) => import(name.ident.to_string(), name.ident.to_string()),
        syn::UseTree::Rename(rename) if rename.ident == "self" => {
            let path = before.clone();
            module.imports.push(Import { name: rename.rename.to_string(), path, is_export });
        }
        syn::UseTree::Rename(rename) => import(rename.rename.to_string(), rename.ident.to_string()),
        syn::UseTree::Glob(_) => import("*".to_owned(), "*".to_owned()),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| read_use(tree, before, is_export, module)),
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            read_use(&path.tree, before, is_export, module);
            before.pop();
        }
    }
}

/// Collects the paths of code that is no test.
struct Paths<'m>(&'m mut BTreeSet<Vec<String>>);

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_test(attributes(item)) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            syn::visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.0.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        // In the body of a function.
        let mut module = Module::default();
        read_use(&item.tree, &mut Vec::new(), false, &mut module);
        self.0.extend(module.imports.into_iter().map(|import| import.path));
    }

    fn visit_macro(&mut self, found: &'ast syn::Macro) {
        syn::visit::visit_macro(self, found);
        self.0.extend(paths_in(&found.tokens.to_string()));
    }
}

/// The paths in the tokens of a macro, which are no code before it is expanded. Text in quotation marks is left out.
fn paths_in(tokens: &str) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> = Vec::new();
    let (mut joined, mut rest) = (false, tokens);
    while let Some(letter) = rest.chars().next() {
        let length = if letter == '"' {
            text_length(rest)
        } else if letter.is_alphanumeric() || letter == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let name = rest[..length].to_owned();
            match paths.last_mut().filter(|_| joined) {
                Some(path) => path.push(name),
                None => paths.push(vec![name]),
            }
            joined = false;
            length
        } else if rest.starts_with("::") {
            joined = true;
            2
        } else {
            joined &= letter.is_whitespace();
            letter.len_utf8()
        };
        rest = &rest[length..];
    }
    paths
}

/// The length of the text that begins here, its quotation marks included.
fn text_length(rest: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    rest.len()
}

/// Whether something is there in tests only.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let condition = list.tokens.to_string();
        paths_in(&condition).iter().any(|path| path == &["test"]) && !condition.contains("not")
    })
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> Imports {
        Imports::parse(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))).unwrap()
    }

    /// The arrows of a crate of `lib.rs`, `a.rs`, `b/mod.rs`, `b/c.rs` and `d.rs`, where `a.rs` is given.
    fn arrows(a: &str) -> Vec<String> {
        let imports = read(&[
            ("lib.rs", "mod a; mod b; mod d;"),
            ("a.rs", a),
            ("b/mod.rs", "mod c; pub use c::{C, f as g}; pub use c::inner; pub struct B;"),
            ("b/c.rs", "pub struct C; pub fn f() {} pub mod inner { pub struct Deep; } made! { pub struct ByMacro; }"),
            ("d.rs", "pub(crate) use crate::b::*; pub use crate::b::C as Renamed;"),
        ]);
        imports.arrows().iter().filter(|arrow| arrow.from == "a.rs").map(Arrow::to_string).collect()
    }

    #[test]
    fn every_way_to_name_an_item_is_an_arrow() {
        for a in [
            "use crate::b::B;",
            "use super::b::B as Other;",
            "use crate::{b::{self, B}};",
            "fn f() -> crate::b::B { loop {} }",
            "fn f(_: super::b::B) {}",
            "use crate::b; fn f() { let _ = b::B; }",
            "use crate::b as other; fn f() { let _ = other::B; }",
            "fn f() { use crate::b::B; }",
            "fn f() { macro_call!(\"no::path\", crate::b::B) }",
            "use crate::b; fn f() { macro_call!(b::B) }",
            "impl Trait for crate::b::B {}",
        ] {
            assert_eq!(arrows(a), ["a.rs -> b/mod.rs: B"], "{a}");
        }
    }

    #[test]
    fn a_reexport_is_followed_to_the_file_that_defines_the_item() {
        assert_eq!(arrows("use crate::b::C;"), ["a.rs -> b/c.rs: C"]);
        assert_eq!(arrows("use crate::b::g;"), ["a.rs -> b/c.rs: f"]);
        assert_eq!(arrows("use crate::d::Renamed;"), ["a.rs -> b/c.rs: C"]);
        assert_eq!(arrows("use crate::d::C;"), ["a.rs -> b/c.rs: C"], "through a glob");
        assert_eq!(arrows("use crate::b::inner::Deep;"), ["a.rs -> b/c.rs: Deep"]);
        assert_eq!(arrows("use crate::b::c::ByMacro;"), ["a.rs -> b/c.rs: ByMacro"]);
    }

    #[test]
    fn declarations_tests_and_other_crates_are_no_arrows() {
        for a in [
            "pub use crate::b::B;",
            "use crate::b;",
            "use std::fmt; fn f(_: fmt::Error) {}",
            "#[cfg(test)] mod tests { use crate::b::B; }",
            "#[cfg(test)] use crate::b::B;",
            "#[cfg(all(test, unix))] fn f() -> crate::b::B { loop {} }",
            "fn f() { macro_call!(\"crate::b::B\") }",
            "// crate::b::B",
        ] {
            assert_eq!(arrows(a), Vec::<String>::new(), "{a}");
        }
    }

    #[test]
    fn a_reexport_that_its_file_uses_is_an_arrow() {
        assert_eq!(arrows("pub use crate::b::B; fn f(_: B) {}"), ["a.rs -> b/mod.rs: B"]);
    }

    #[test]
    fn code_outside_of_tests_is_read() {
        assert_eq!(arrows("#[cfg(not(test))] use crate::b::B;"), ["a.rs -> b/mod.rs: B"]);
        assert_eq!(arrows("#[cfg(unix)] use crate::b::B;"), ["a.rs -> b/mod.rs: B"]);
    }

    #[test]
    fn a_parent_and_its_child_that_use_each_other_are_a_circle() {
        let imports = read(&[
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "mod child; pub struct Parent; fn f() { child::g() }"),
            ("a/child.rs", "use super::Parent; pub fn g() {}"),
        ]);
        let [circle] = &imports.circles()[..] else { panic!("{:?}", imports.circles()) };
        assert_eq!(circle.files, ["a/child.rs", "a/mod.rs"]);
        assert!(circle.to_string().contains("a/child.rs -> a/mod.rs: Parent"), "{circle}");
    }

    #[test]
    fn a_circle_is_found_however_long_and_others_apart() {
        let imports = read(&[
            ("lib.rs", "mod a; mod b; mod c; mod d; mod e; mod f;"),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use crate::c::C; pub struct B;"),
            ("c.rs", "pub struct C; fn f(_: crate::a::A) {}"),
            ("d.rs", "use crate::a::A; use crate::e::E;"),
            ("e.rs", "use crate::f::F; pub struct E;"),
            ("f.rs", "use crate::e::E; pub struct F;"),
        ]);
        let files: Vec<_> = imports.circles().into_iter().map(|circle| circle.files).collect();
        assert_eq!(files, [vec!["a.rs", "b.rs", "c.rs"], vec!["e.rs", "f.rs"]]);
    }

    #[test]
    fn what_leads_to_a_circle_is_not_in_it() {
        let imports = read(&[("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", "pub struct B;")]);
        assert_eq!(imports.circles(), []);
    }

    const ORDER: Rooms = Rooms(&[
        &[Room { name: "base", modules: &["base"] }],
        &[Room { name: "one", modules: &["api::one"] }, Room { name: "two", modules: &["api::two"] }],
        &[Room { name: "front", modules: &["app", "server"] }],
    ]);

    fn violations(one: &str) -> Vec<String> {
        let imports = read(&[
            ("lib.rs", "mod api; mod app; mod base; mod server; mod stray;"),
            ("api/mod.rs", "mod one; mod two; mod onetime;"),
            ("api/one.rs", one),
            ("api/two.rs", "use crate::base::Base; pub struct Two;"),
            ("api/onetime.rs", "pub struct Onetime;"),
            ("app.rs", "use crate::server::Server; pub struct App;"),
            ("server.rs", "use crate::api::two::Two; pub struct Server;"),
            ("base.rs", "pub struct Base;"),
            ("stray.rs", "pub struct Stray;"),
        ]);
        ORDER.violations(&imports)
    }

    #[test]
    fn arrows_run_down_the_order_of_rooms() {
        assert_eq!(violations("use crate::base::Base;"), Vec::<String>::new());
        assert_eq!(violations("use crate::app::App;"), ["`one` uses `front`, which is above it: api/one.rs -> app.rs: App"]);
        assert_eq!(violations("use crate::api::two::Two;"), ["`one` uses its neighbour `two`: api/one.rs -> api/two.rs: Two"]);
        assert_eq!(violations("use crate::stray::Stray;"), ["stray.rs is in no room: api/one.rs -> stray.rs: Stray"]);
        assert_eq!(violations("use super::onetime::Onetime;"), ["api/onetime.rs is in no room: api/one.rs -> api/onetime.rs: Onetime"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error() {
        let error =
            |files: &[(&str, &str)]| Imports::parse(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))).unwrap_err();
        assert!(error(&[("lib.rs", "fn {")]).starts_with("lib.rs: "));
        assert!(error(&[("lib.rs", "mod a;")]).contains("no file of `mod a`"));
        assert!(error(&[("a.rs", "")]).contains("lib.rs"));
    }
}
