//! What one file declares, imports and names.

use std::collections::BTreeSet;

use syn::visit::Visit;

/// An import or re-export: the name it has here, and what it names.
pub struct Import {
    pub name: String,
    pub path: Vec<String>,
    /// A re-export is a use only if its name is used in the file itself.
    pub is_export: bool,
}

/// What a module declares, imports and names.
#[derive(Default)]
pub struct Module {
    pub file: String,
    pub children: BTreeSet<String>,
    pub items: BTreeSet<String>,
    pub imports: Vec<Import>,
    /// Paths in the code, of one name or more.
    pub paths: BTreeSet<Vec<String>>,
}

impl Module {
    /// Reads the items of a module. Returns its children with it, which are not read yet.
    pub fn read<'i>(file: &str, items: &'i [syn::Item]) -> (Self, Vec<&'i syn::ItemMod>) {
        let mut module = Self { file: file.to_owned(), ..Self::default() };
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
        (module, children)
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
