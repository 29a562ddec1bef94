/** Measures the calls of a store for the metrics. */
import type { OnStoreCall } from "./database.ts"

/** Runs calls of the store, and measures each for the metrics. */
export type MeasureCall = <Result>(kind: Parameters<OnStoreCall>[0], call: () => Promise<Result>) => Promise<Result>

export function measureCalls(onCall: OnStoreCall = () => undefined): MeasureCall {
  return async (kind, call) => {
    const startedAt = performance.now()
    let isDone = false
    try {
      const result = await call()
      isDone = true
      return result
    } finally {
      onCall(kind, (performance.now() - startedAt) / 1_000, isDone)
    }
  }
}
