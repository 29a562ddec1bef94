/** Runs `run` for many callers. A call during a run gets the run after it, so that what a caller gets was begun after its call. */
export function sharedRuns(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    next = undefined
    running = run().finally(() => (running = undefined))
    return running
  }
  return () => {
    next ??= running?.then(begin, begin)
    return next ?? begin()
  }
}
