//! Pages: the pieces that memory is shared and copied in.

use std::sync::Arc;

use bytes::Bytes;

/// Bytes in one page, which is a page of the operating system: what a flush is rounded out to, and what a power loss takes
/// or leaves. Small enough that the copy on the first write after a clone is hardly felt.
pub const OS_PAGE_SIZE: usize = 4096;

/// What a page that was never written reads as.
pub(super) static ZEROS: Page = Page([0; OS_PAGE_SIZE]);

#[derive(Clone, Copy)]
pub(super) struct Page(pub(super) [u8; OS_PAGE_SIZE]);

/// Lets [`Bytes`] share a page.
struct Shared(Arc<Page>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0.0
    }
}

/// `page[start..start + len]` as bytes that share the page. A write to the page while they live copies it first.
pub(super) fn share(page: &Arc<Page>, start: usize, len: usize) -> Bytes {
    Bytes::from_owner(Shared(Arc::clone(page))).slice(start..start + len)
}

/// Pages no file holds any more, kept because the first touch of fresh memory costs more than filling it again.
#[derive(Default)]
pub(super) struct Pool {
    spare: Vec<Arc<Page>>,
    zeros: Option<Arc<Page>>,
}

impl Pool {
    /// Spare pages kept at most: 64 MiB.
    const MOST: usize = 16_384;

    /// The pool of a copy: the spare pages stay here, the zeros serve both.
    pub(super) fn of_copy(&self) -> Self {
        Self { spare: Vec::new(), zeros: self.zeros.clone() }
    }

    /// A page of zeros that nobody else holds.
    pub(super) fn take(&mut self) -> Arc<Page> {
        if let Some(mut page) = self.spare.pop()
            && let Some(bytes) = Arc::get_mut(&mut page)
        {
            bytes.0.fill(0);
            return page;
        }
        // Cloning a shared page of zeros fills the new memory directly; `Arc::new` would build the page on the stack.
        let mut page = Arc::clone(self.zeros.get_or_insert_with(|| Arc::new(ZEROS)));
        Arc::make_mut(&mut page);
        page
    }

    /// Keeps `page` for later if nobody else holds it.
    pub(super) fn give(&mut self, mut page: Arc<Page>) {
        if self.spare.len() < Self::MOST && Arc::get_mut(&mut page).is_some() {
            self.spare.push(page);
        }
    }
}
