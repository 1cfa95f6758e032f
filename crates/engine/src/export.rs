//! The functions a module exports. No imports, no table, no mutable global: the linear memory is the whole world, so the
//! worker may copy it between calls and put it back (ARCHITECTURE.md, "Going back, exactly").
//!
//! The caller writes a request into memory from `alloc`, calls `call`, reads the answer at `ptr = r >> 32`,
//! `len = r & 0xffff_ffff`, and gives both back with `free`. After a trap `panic_ptr`/`panic_len` hold the panic's message.

/// Bytes of the panic message that are kept.
pub const PANIC_MAX: usize = 4096;

/// Writes as much as fits and counts it.
pub struct PanicText {
    pub bytes: [u8; PANIC_MAX],
    pub len: usize,
}

impl std::fmt::Write for PanicText {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let take = text.len().min(PANIC_MAX - self.len);
        self.bytes[self.len..self.len + take].copy_from_slice(&text.as_bytes()[..take]);
        self.len += take;
        Ok(())
    }
}

/// Exports a module around a [`crate::World`].
#[macro_export]
macro_rules! export_world {
    ($world:ty) => {
        struct Cell<T>(std::cell::UnsafeCell<T>);
        // SAFETY: a wasm instance has one thread, and no exported function calls another.
        unsafe impl<T> Sync for Cell<T> {}

        static WORLD: Cell<Option<$world>> = Cell(std::cell::UnsafeCell::new(None));
        static PANIC: Cell<$crate::export::PanicText> =
            Cell(std::cell::UnsafeCell::new($crate::export::PanicText {
                bytes: [0; $crate::export::PANIC_MAX],
                len: 0,
            }));
        static HOOKED: std::sync::Once = std::sync::Once::new();

        /// Memory for `len` bytes of a request.
        #[unsafe(no_mangle)]
        pub extern "C" fn alloc(len: usize) -> *mut u8 {
            Box::into_raw(vec![0u8; len].into_boxed_slice()).cast()
        }

        /// Gives memory back: an answer, or a request.
        ///
        /// # Safety
        /// `ptr` and `len` are what `alloc` or `call` gave, once.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn free(ptr: *mut u8, len: usize) {
            // SAFETY: by this function's contract.
            drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(ptr, len)) });
        }

        /// Answers the request of `len` bytes at `ptr`: `ptr << 32 | len` of the answer.
        ///
        /// # Safety
        /// `ptr` came from `alloc(len)` and is filled.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn call(ptr: *const u8, len: usize) -> u64 {
            HOOKED.call_once(|| {
                std::panic::set_hook(Box::new(|info| {
                    // SAFETY: see `Cell`; nothing else looks at the text while a panic runs.
                    let text = unsafe { &mut *PANIC.0.get() };
                    text.len = 0;
                    let _ = std::fmt::Write::write_fmt(text, format_args!("{info}"));
                }));
            });
            // SAFETY: by this function's contract, and see `Cell`.
            let (request, world) = unsafe { (std::slice::from_raw_parts(ptr, len), &mut *WORLD.0.get()) };
            let answer = $crate::answer(world, request).into_boxed_slice();
            let len = answer.len() as u64;
            let ptr = Box::into_raw(answer).cast::<u8>() as u64;
            (ptr << 32) | len
        }

        /// Where the last panic's message lies.
        #[unsafe(no_mangle)]
        pub extern "C" fn panic_ptr() -> *const u8 {
            // SAFETY: only an address is taken.
            unsafe { (*PANIC.0.get()).bytes.as_ptr() }
        }

        /// How long the last panic's message is; 0: there was none.
        #[unsafe(no_mangle)]
        pub extern "C" fn panic_len() -> usize {
            // SAFETY: see `Cell`.
            unsafe { (*PANIC.0.get()).len }
        }
    };
}
