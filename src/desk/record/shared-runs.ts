/** Calls `run` for many callers. Calls during a run share the next run, so that no caller gets a run that began before its call. */
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
