//! The files of a store.

use serde::{Deserialize, Serialize};

use crate::store::inspect::{FileKind, StoreFiles};

/// The directory as rows in the order of display: a directory, then what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileTree {
    /// Depth-first, names in byte order.
    pub rows: Vec<TreeRow>,
    /// Number of files.
    pub file_count: u64,
    /// Sum of the files' lengths in bytes.
    pub total_len: u64,
}

/// A row of a [`FileTree`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TreeRow {
    /// Path relative to the store's root, `/`-separated, no slash at the end.
    pub path: String,
    /// The last part of the path.
    pub name: String,
    /// 0 for what lies in the root.
    pub depth: u32,
    /// The file's length, or the sum of the files below the directory, in bytes.
    pub len: u64,
    /// What it is.
    pub node: TreeNode,
}

/// A directory or a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum TreeNode {
    /// A directory.
    #[serde(rename_all = "camelCase")]
    Dir {
        /// Number of files anywhere below it.
        file_count: u64,
    },
    /// A file.
    #[serde(rename_all = "camelCase")]
    File {
        /// What kind of file of a store.
        file: FileKind,
        /// Time of the last write, milliseconds since the epoch.
        modified: i64,
    },
}

/// The rows of a directory.
pub(super) fn tree(files: &StoreFiles) -> FileTree {
    let mut tree = FileTree::default();
    // Rows of the directories that the last file lies in, outermost first.
    let mut open: Vec<usize> = Vec::new();
    let mut open_path = "";
    for (path, _, meta, kind) in &files.all {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
        let shared = open_path.split('/').zip(&parts).take_while(|(open, part)| open == *part).count();
        open.truncate(shared);
        for depth in shared..parts.len() {
            let Some(part) = parts.get(depth) else { break };
            open.push(tree.rows.len());
            tree.rows.push(TreeRow {
                path: parts.get(..=depth).unwrap_or_default().join("/"),
                name: (*part).to_owned(),
                depth: depth as u32,
                len: 0,
                node: TreeNode::Dir { file_count: 0 },
            });
        }
        open_path = directory;
        for row in &open {
            if let Some(TreeRow { len, node: TreeNode::Dir { file_count }, .. }) = tree.rows.get_mut(*row) {
                *len += meta.len;
                *file_count += 1;
            }
        }
        tree.rows.push(TreeRow {
            path: path.clone(),
            name: name.to_owned(),
            depth: parts.len() as u32,
            len: meta.len,
            node: TreeNode::File { file: *kind, modified: meta.modified },
        });
        tree.file_count += 1;
        tree.total_len += meta.len;
    }
    tree
}
