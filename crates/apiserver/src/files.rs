//! Files that flags name: the API server reads them through this, since the world's file system belongs to the shell.

/// Read access to files by absolute path.
pub trait Files {
    /// The content; `None` if there is no such file.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// No files at all.
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Option<Vec<u8>> {
        None
    }
}
