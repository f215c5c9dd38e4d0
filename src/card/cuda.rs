//! A graphics card of NVIDIA's, by its driver: no toolkit is needed, here or where this is
//! compiled.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, result, sys};

use super::{ARGUMENTS, Card, CardError, Kernel};

/// The kernels as the driver takes them; `scripts/compile-kernels` makes them from `kernels.cu`.
pub(super) const KERNELS: &str = include_str!("kernels.ptx");

/// Threads that a multiprocessor is given at a time.
const BLOCK: usize = 256;
/// The same where there are few, so that all multiprocessors have some.
const SMALL_BLOCK: usize = 32;
/// No more than these are few.
const FEW_THREADS: usize = 1 << 18;

/// The first card that the driver knows.
#[derive(Debug)]
pub struct CudaCard {
    context: Arc<CudaContext>,
    /// Each at its number in [`Kernel::ALL`].
    kernels: Vec<Function>,
}

/// A kernel that the driver has loaded.
#[derive(Clone, Copy, Debug)]
struct Function(sys::CUfunction);

// SAFETY: a handle of the driver's, which says that its functions may be called from any thread.
// The module that it is of stays loaded as long as its context, and so as long as the card.
unsafe impl Send for Function {}
// SAFETY: as above; nothing is changed through it.
unsafe impl Sync for Function {}

fn failed(doing: &'static str) -> impl Fn(DriverError) -> CardError {
    move |error| match error.0 {
        sys::CUresult::CUDA_ERROR_NO_DEVICE => CardError::NoCard,
        code => CardError::Failed {
            doing,
            code: code as u32,
        },
    }
}

impl CudaCard {
    /// Opens the first card, and loads the kernels.
    ///
    /// # Errors
    ///
    /// If there is no driver or no card, or the card does not take the kernels.
    pub fn open() -> Result<CudaCard, CardError> {
        // SAFETY: libraries of the driver's name are loaded, which is all that looking for one
        // takes.
        if !unsafe { sys::is_culib_present() } {
            return Err(CardError::NoDriver);
        }
        result::init().map_err(failed("beginning"))?;
        if result::device::get_count().map_err(failed("beginning"))? == 0 {
            return Err(CardError::NoCard);
        }
        let context = CudaContext::new(0).map_err(failed("beginning"))?;
        let loading = failed("loading its kernels");
        let text = CString::new(KERNELS).unwrap_or_default();
        // SAFETY: the text ends with a zero and is alive; the context was made current to this
        // thread by `new`.
        let module = unsafe { result::module::load_data(text.as_ptr().cast()) };
        let module = module.map_err(&loading)?;
        let find = |kernel: &Kernel| {
            let name = CString::new(kernel.name()).unwrap_or_default();
            // SAFETY: the module was loaded above, and nobody unloads it.
            let function = unsafe { result::module::get_function(module, name) };
            function.map(Function).map_err(&loading)
        };
        let kernels = Kernel::ALL.iter().map(find).collect::<Result<_, _>>()?;
        Ok(CudaCard { context, kernels })
    }

    /// The driver asks each thread to say which card it means.
    fn bind(&self) -> Result<(), CardError> {
        let bound = self.context.bind_to_thread();
        bound.map_err(failed("being chosen"))
    }
}

impl Card for CudaCard {
    fn free_bytes(&self) -> Result<u64, CardError> {
        self.bind()?;
        let (free, _) = result::mem_get_info().map_err(failed("telling its memory"))?;
        Ok(free as u64)
    }

    fn allocate(&self, bytes: usize) -> Result<u64, CardError> {
        self.bind()?;
        // SAFETY: no memory of this program is touched.
        match unsafe { result::malloc_sync(bytes.max(1)) } {
            Ok(address) => Ok(address),
            Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                Err(CardError::TooLittleMemory {
                    needed: bytes as u64,
                    free: self.free_bytes()?,
                })
            }
            Err(error) => Err(failed("giving memory")(error)),
        }
    }

    fn free(&self, address: u64) {
        // What cannot be given back now is when the program ends.
        if self.bind().is_ok() {
            // SAFETY: memory of the card; a wrong address is an error of the driver's.
            let _ = unsafe { result::free_sync(address) };
        }
    }

    fn clear(&self, address: u64, bytes: usize) -> Result<(), CardError> {
        self.bind()?;
        // SAFETY: memory of the card; a wrong address is an error of the driver's.
        unsafe { result::memset_d8_sync(address, 0, bytes) }.map_err(failed("clearing memory"))
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), CardError> {
        self.bind()?;
        // SAFETY: bytes of this program are read, which are alive until the call returns; they go
        // to memory of the card, of which a wrong address is an error of the driver's.
        unsafe { result::memcpy_htod_sync(address, bytes) }.map_err(failed("being written to"))
    }

    fn read(&self, address: u64, room: &mut [u8]) -> Result<(), CardError> {
        self.bind()?;
        // SAFETY: the room is ours alone until the call returns, and no more is written than there
        // is of it.
        unsafe { result::memcpy_dtoh_sync(room, address) }.map_err(failed("being read"))
    }

    fn run(
        &self,
        kernel: Kernel,
        threads: usize,
        arguments: [u64; ARGUMENTS],
    ) -> Result<(), CardError> {
        if threads == 0 {
            return Ok(());
        }
        self.bind()?;
        let running = failed(kernel.doing());
        let mut all = [0u64; ARGUMENTS + 1];
        all[..ARGUMENTS].copy_from_slice(&arguments);
        all[ARGUMENTS] = threads as u64;
        let block = match threads {
            0..=FEW_THREADS => SMALL_BLOCK,
            _ => BLOCK,
        };
        let blocks = u32::try_from(threads.div_ceil(block)).unwrap_or(u32::MAX);
        let function = self.kernels[kernel as usize].0;
        let mut parameters = [(&raw mut all).cast::<c_void>()];
        // SAFETY: the kernel has one parameter, eight numbers of 64 bits, which the driver copies
        // before the call returns. What it reads and writes is memory of the card: wrong addresses
        // end the kernel, and nothing of this program is touched.
        unsafe {
            result::launch_kernel(
                function,
                (blocks, 1, 1),
                (block as u32, 1, 1),
                0,
                std::ptr::null_mut(),
                &mut parameters,
            )
        }
        .map_err(running)
    }
}
