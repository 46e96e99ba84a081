//! Work that falls into pieces, done on several threads. Knows not what is done.

use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, Scope, available_parallelism, scope};

/// So many pieces each thread has at most, that at hand and those that wait, so that memory stays bounded. With few of
/// them threads wait for each other.
const GIVEN: usize = 8;

/// More threads than this would wait for whoever makes the pieces and takes the results, which is one.
const MOST: usize = 8;

/// Does `work` with each piece that `next` gives and hands the results to `take` in the order of the pieces, until there
/// are no more or one of both fails. A single piece is not worth a thread.
pub(super) fn in_order<P: Send, R: Send, E>(
    mut next: impl FnMut() -> Result<Option<P>, E>,
    work: impl Fn(P) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let Some(first) = next()? else { return Ok(()) };
    let Some(second) = next()? else { return take(work(first)) };
    let mut read = [first, second].into_iter();
    let mut next = || read.next().map_or_else(&mut next, |piece| Ok(Some(piece)));
    scope(|scope| {
        let workers: Vec<Worker<P, R>> = (0..threads()).map_while(|_| Worker::start(scope, &work)).collect();
        if workers.is_empty() {
            while let Some(piece) = next()? {
                take(work(piece))?;
            }
            return Ok(());
        }
        let mut results = workers.iter().cycle().filter_map(|worker| worker.results.recv().ok());
        let mut waiting = 0;
        for worker in workers.iter().cycle() {
            let Some(piece) = next()? else { break };
            if waiting == workers.len() * GIVEN {
                results.next().map_or(Ok(()), &mut take)?;
                waiting -= 1;
            }
            // A worker takes pieces as long as there is a sender.
            let _ = worker.pieces.send(piece);
            waiting += 1;
        }
        results.take(waiting).try_for_each(&mut take)
    })
}

/// One for each processor; one alone does what there is to do without another.
fn threads() -> usize {
    let processors = available_parallelism().map_or(1, NonZero::get);
    if processors > 1 { processors.min(MOST) } else { 0 }
}

/// A thread, to which pieces go and from which the results come in the same order.
struct Worker<P, R> {
    pieces: SyncSender<P>,
    results: Receiver<R>,
}

impl<P: Send, R: Send> Worker<P, R> {
    /// Nothing where there may be no more threads.
    fn start<'s, 'e, W: Fn(P) -> R + Sync>(scope: &'s Scope<'s, 'e>, work: &'s W) -> Option<Self>
    where
        P: 's,
        R: 's,
    {
        let (pieces, given) = sync_channel::<P>(GIVEN);
        let (done, results) = channel();
        let run = move || given.into_iter().map(work).try_for_each(|result| done.send(result)).unwrap_or_default();
        Builder::new().name("worker".to_owned()).spawn_scoped(scope, run).ok()?;
        Some(Self { pieces, results })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        for count in [0, 1, 2, 3, 1000_u32] {
            let mut pieces = 0..count;
            let mut results = Vec::new();
            // Early pieces take longer than late ones.
            let work = |piece: u32| (0..(count - piece) * 10).fold(piece, |all, _| std::hint::black_box(all));
            let taken = in_order(
                || Ok::<_, ()>(pieces.next()),
                work,
                |result| {
                    results.push(result);
                    Ok(())
                },
            );
            assert_eq!(taken, Ok(()));
            assert_eq!(results, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_failure_ends_the_work() {
        let mut pieces = 0..1000_u32;
        let next = || Ok(pieces.next());
        assert_eq!(in_order(next, |piece| piece, |piece| if piece < 7 { Ok(()) } else { Err(piece) }), Err(7));
        let mut pieces = 0..1000_u32;
        let next = || pieces.next().filter(|piece| *piece < 9).map(Some).ok_or("unreadable");
        assert_eq!(in_order(next, |piece| piece, |_| Ok(())), Err("unreadable"));
    }
}
