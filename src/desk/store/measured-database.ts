/** The desk's store, with each call measured. */
import type { Database } from "./database.ts"

export const STORE_CALL_KINDS = ["read", "write", "transaction"] as const

export type StoreCallKind = (typeof STORE_CALL_KINDS)[number]

/** Calls `measured` when a call is over. A call that failed counts too. */
export function measureDatabase(
  database: Database,
  measured: (kind: StoreCallKind, seconds: number, isDone: boolean) => void,
): Database {
  const measure = async <Result>(kind: StoreCallKind, call: () => Promise<Result>): Promise<Result> => {
    const startedTicks = performance.now()
    let isDone = false
    try {
      const result = await call()
      isDone = true
      return result
    } finally {
      measured(kind, (performance.now() - startedTicks) / 1_000, isDone)
    }
  }
  const { isShared, publish, subscribe, connections, changes } = database
  return {
    isShared,
    read: (sql, ...values) => measure("read", () => database.read(sql, ...values)),
    write: (sql, ...values) => measure("write", () => database.write(sql, ...values)),
    transaction: (lock, work) => measure("transaction", () => database.transaction(lock, work)),
    publish: publish.bind(database),
    subscribe: subscribe.bind(database),
    ...(connections === undefined ? {} : { connections }),
    ...(changes === undefined ? {} : { changes }),
    close: () => database.close(),
  }
}
