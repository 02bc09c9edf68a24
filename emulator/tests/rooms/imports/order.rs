//! The order of rooms, and the arrows against it.

use std::path::Path;

use super::{Arrow, Crate, Imports, ModulePath};

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
