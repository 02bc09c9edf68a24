//! The modules of a crate, and where a path that is written in one of them leads.

use std::collections::{BTreeMap, BTreeSet};

use super::syntax::Module;
use super::{Arrow, ModulePath};

/// What a path leads to.
enum Target {
    Module(ModulePath),
    Item { file: String, name: String },
}

/// The modules of a crate by their places.
#[derive(Default)]
pub struct Tree {
    pub modules: BTreeMap<ModulePath, Module>,
}

impl Tree {
    /// Adds a module with those inside it, which it takes out of `pending`.
    pub fn add(
        &mut self,
        path: ModulePath,
        file: &str,
        items: &[syn::Item],
        pending: &mut BTreeMap<ModulePath, (String, syn::File)>,
    ) -> Result<(), String> {
        let (module, children) = Module::read(file, items);
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

    /// Every file that uses another, sorted.
    pub fn arrows(&self) -> Vec<Arrow> {
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
