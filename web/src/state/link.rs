//! One field, everywhere: the field under the pointer or the cursor, and the one that is pinned. Every part that shows
//! bytes, text or a tree draws the same field hot. Fields are known by their path; which look a field has is its slot.

use std::collections::BTreeMap;
use std::rc::Rc;

use protocol::window::{Field, Origin};
use yew::Reducible;

use super::Ptr;

/// A field's look: hue 1…8 and pattern 1…4 (solid, dashed, dotted, double).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub hue: u8,
    pub pattern: u8,
}

/// Slot `n`, from 1: hue and pattern together are never the same for two of twelve, and two slots of one hue never share a
/// pattern.
pub fn slot(n: usize) -> Slot {
    let n = n.max(1) - 1;
    Slot { hue: (n % 8) as u8 + 1, pattern: ((n % 4 + n / 8) % 4) as u8 + 1 }
}

/// How many slots there are; above that, fields share a slot with their neighbours.
pub const SLOTS: usize = 12;

/// Which look each field a person wrote has, by path.
pub type Slots = BTreeMap<String, Slot>;

/// Gives the leaves a person wrote their slots in document order; when they are more than twelve, the deepest ancestors
/// that are at most twelve share one.
pub fn deal(fields: &[Field]) -> Slots {
    let leaves: Vec<&str> =
        fields.iter().filter(|f| f.leaf && f.origin == Origin::You).map(|f| f.path.as_str()).collect();
    let mut depth = leaves.iter().map(|path| parts(path)).max().unwrap_or(0);
    loop {
        let mut groups: Vec<&str> = Vec::new();
        for path in &leaves {
            let group = ancestor(path, depth);
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        if groups.len() <= SLOTS || depth <= 1 {
            let number = |path: &str| groups.iter().position(|g| *g == ancestor(path, depth)).unwrap_or(0);
            return leaves
                .iter()
                .map(|path| (path.to_string(), slot(number(path).min(SLOTS - 1) + 1)))
                .collect();
        }
        depth -= 1;
    }
}

/// Where a path's parts end: `spec.containers[0].image` has four. Quoted keys in brackets are one part.
fn ends(path: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut inside = false;
    for (i, c) in path.char_indices() {
        match c {
            '[' if !inside => {
                if i > 0 {
                    ends.push(i);
                }
                inside = true;
            }
            ']' => inside = false,
            '.' if !inside => ends.push(i),
            _ => {}
        }
    }
    ends.push(path.len());
    ends
}

fn parts(path: &str) -> usize {
    ends(path).len()
}

/// The first `depth` parts of a path.
fn ancestor(path: &str, depth: usize) -> &str {
    match ends(path).get(depth.max(1) - 1) {
        Some(&end) => &path[..end],
        None => path,
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    pub hover: Option<Rc<str>>,
    pub pinned: Option<Rc<str>>,
}

impl Link {
    /// The field that is drawn hot: the pinned one, else the one under the pointer.
    pub fn hot(&self) -> Option<&Rc<str>> {
        self.pinned.as_ref().or(self.hover.as_ref())
    }
}

pub enum LinkAction {
    /// The pointer or the cursor came to a field, or left it.
    Over(Option<Rc<str>>),
    /// A click or Enter: pins it, or lets it go when it is pinned.
    Toggle(Rc<str>),
    Pin(Option<Rc<str>>),
}

impl Reducible for Link {
    type Action = LinkAction;

    fn reduce(self: Rc<Self>, action: LinkAction) -> Rc<Self> {
        let next = match action {
            LinkAction::Over(hover) => Link { hover, pinned: self.pinned.clone() },
            LinkAction::Toggle(path) if self.pinned.as_deref() == Some(&*path) => {
                Link { hover: None, pinned: None }
            }
            LinkAction::Toggle(path) => Link { hover: None, pinned: Some(path) },
            LinkAction::Pin(pinned) => Link { hover: None, pinned },
        };
        if next == *self { self } else { next.into() }
    }
}

/// What the parts that draw fields get by context.
#[derive(Clone, PartialEq)]
pub struct Hot {
    pub link: Link,
    pub slots: Ptr<Slots>,
}

impl Hot {
    pub fn is(&self, path: &str) -> bool {
        self.link.hot().is_some_and(|hot| related(hot, path))
    }

    /// The slot's attributes: hue and pattern, 0 for a field that has none.
    pub fn look(&self, path: &str) -> (u8, u8) {
        self.slots.get(path).map_or((0, 0), |s| (s.hue, s.pattern))
    }
}

/// The same field, or a part of it.
fn related(hot: &str, path: &str) -> bool {
    path.strip_prefix(hot).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_looks_differ_and_one_hue_never_shares_a_pattern() {
        let all: Vec<Slot> = (1..=SLOTS).map(slot).collect();
        for (i, a) in all.iter().enumerate() {
            for b in &all[i + 1..] {
                assert_ne!(a, b);
            }
        }
        // As the design's sheet shows them.
        assert_eq!(slot(7), Slot { hue: 7, pattern: 3 });
        assert_eq!(slot(9), Slot { hue: 1, pattern: 2 });
        assert_eq!(slot(12), Slot { hue: 4, pattern: 1 });
    }

    fn leaf(path: String) -> Field {
        Field { path, leaf: true, origin: Origin::You, ..Field::default() }
    }

    #[test]
    fn leaves_get_slots_in_document_order() {
        let fields =
            [leaf("kind".into()), leaf("metadata.name".into()), leaf("spec.containers[0].image".into())];
        let slots = deal(&fields);
        assert_eq!(slots["kind"], slot(1));
        assert_eq!(slots["spec.containers[0].image"], slot(3));
    }

    #[test]
    fn more_than_twelve_share_by_their_ancestors() {
        let fields: Vec<Field> = (0..20)
            .flat_map(|i| ["name", "image"].map(|f| leaf(format!("spec.containers[{i}].{f}"))))
            .chain([leaf("kind".into())])
            .collect();
        let slots = deal(&fields);
        assert_eq!(slots.len(), 41);
        // Twenty containers are more than twelve, their list is one.
        assert_eq!(slots["spec.containers[0].name"], slots["spec.containers[19].image"]);
        assert_ne!(slots["spec.containers[0].name"], slots["kind"]);
    }

    #[test]
    fn a_parent_lights_its_parts() {
        assert!(related("spec.containers[0]", "spec.containers[0].image"));
        assert!(related("spec", "spec"));
        assert!(!related("spec.containers[0]", "spec.containers[01]"));
        assert!(!related("metadata.name", "metadata.namespace"));
    }

    #[test]
    fn a_dot_inside_brackets_does_not_part() {
        assert_eq!(parts("metadata.annotations[kubectl.kubernetes.io/x]"), 3);
        assert_eq!(ancestor("metadata.annotations[a.b]", 2), "metadata.annotations");
    }
}
