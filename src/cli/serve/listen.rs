//! Connections: how many, how long they may take, and how they end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use futures_util::future::{Either, ready};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// A head that takes longer to come, or a connection on which nothing is asked for so long, is
/// closed.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// A connection that takes nothing of an answer for so long is closed.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of a request's head, at most.
const HEAD_BYTES: usize = 64 << 10;

/// How long answers in work may take when the server is to end.
const DRAIN: Duration = Duration::from_secs(10);

/// How long to wait where the system gives no more connections.
const NO_CONNECTIONS: Duration = Duration::from_millis(50);

/// An address that is listened on.
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    connections: Arc<Semaphore>,
}

impl Listener {
    /// Listens, for at most so many connections at once.
    ///
    /// # Errors
    ///
    /// If the system does not let it.
    pub async fn bind(address: SocketAddr, connections: usize) -> io::Result<Listener> {
        let connections = allow_connections(connections);
        let socket = TcpListener::bind(address).await?;
        Ok(Listener {
            address: socket.local_addr()?,
            socket,
            connections: Arc::new(Semaphore::new(connections)),
        })
    }

    /// Where.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process is asked to end, and then what is in work. What is at hand is
    /// answered without the router.
    pub async fn serve(
        self,
        router: Router,
        at_hand: impl Fn(&Request<Incoming>) -> Option<Response<Body>> + Clone + Send + 'static,
    ) {
        let graceful = GracefulShutdown::new();
        let mut end = std::pin::pin!(asked_to_end());
        loop {
            let accepted = tokio::select! {
                accepted = self.accept() => accepted,
                () = &mut end => break,
            };
            let (stream, permit) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!("no connection: {error}");
                    tokio::time::sleep(NO_CONNECTIONS).await;
                    continue;
                }
            };
            let mut builder = http1::Builder::new();
            builder
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .max_buf_size(HEAD_BYTES);
            let (router, at_hand) = (TowerToHyperService::new(router.clone()), at_hand.clone());
            let service = service_fn(move |request| match at_hand(&request) {
                Some(response) => Either::Left(ready(Ok(response))),
                None => Either::Right(router.call(request)),
            });
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(WRITE_TIMEOUT));
            let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service);
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                // Whoever asked has gone, or has sent no HTTP: nobody is left to tell.
                let _ = connection.await;
                drop(permit);
            });
        }
        drop(self.socket);
        tracing::info!("ending");
        if tokio::time::timeout(DRAIN, graceful.shutdown())
            .await
            .is_err()
        {
            tracing::warn!("some connections were cut off after {} s", DRAIN.as_secs());
        }
    }

    async fn accept(
        &self,
    ) -> io::Result<(tokio::net::TcpStream, tokio::sync::OwnedSemaphorePermit)> {
        let permit = self.connections.clone().acquire_owned().await;
        let permit = permit.map_err(|_| io::ErrorKind::NotConnected)?;
        let (stream, _) = self.socket.accept().await?;
        // Answers are small and are to leave at once.
        stream.set_nodelay(true)?;
        Ok((stream, permit))
    }
}

#[cfg(unix)]
async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    match (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) {
        (Ok(mut interrupt), Ok(mut terminate)) => {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        }
        // Then the signals end the process as they always do.
        _ => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn asked_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Open files that are for tables and the rest, not for connections.
#[cfg(unix)]
const OTHER_FILES: u64 = 1024;

/// Asks the system for as many open files as so many connections need, and returns how many
/// connections it allows. Were there more, no table could be opened.
#[cfg(unix)]
fn allow_connections(connections: usize) -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = connections as u64 + OTHER_FILES;
    let allowed = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
    if limit.current.is_some_and(|current| current < allowed) {
        limit.current = Some(allowed);
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!("the limit of open files stays as it is: {error}");
        }
    }
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let left = allowed.saturating_sub(OTHER_FILES).max(allowed / 2);
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    if left < connections {
        tracing::info!("{left} connections at once: the limit of open files is {allowed}");
    }
    connections.min(left)
}

#[cfg(not(unix))]
fn allow_connections(connections: usize) -> usize {
    connections
}
