/** A small store for values outside React, and listeners for events of the browser. */
import { useSyncExternalStore } from "react"

/** A value outside of React, which components and other code follow. */
export type Store<Value> = {
  readonly get: () => Value
  /** Changes the value, and calls every listener. */
  readonly set: (value: Value) => void
  /** Calls `listener` after each change. Returns a function that stops the calls. */
  readonly subscribe: (listener: () => void) => () => void
}

/**
 * Makes a store.
 *
 * @param whileFollowed called when the first listener comes. The function that it returns is called when the last one has gone
 */
export function createStore<Value>(value: Value, whileFollowed?: (store: Store<Value>) => () => void): Store<Value> {
  const listeners = new Set<() => void>()
  let now = value
  let end: (() => void) | undefined
  const store: Store<Value> = {
    get: () => now,
    set: (next) => {
      now = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      end ??= whileFollowed?.(store)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        end?.()
        end = undefined
      }
    },
  }
  return store
}

/** The value of `store`, or what `select` makes of it, as it changes. The component is rendered only when that changes. */
export function useStore<Value>(store: Store<Value>): Value
export function useStore<Value, Selected>(store: Store<Value>, select: (value: Value) => Selected): Selected
export function useStore<Value>(
  { get, subscribe }: Store<Value>,
  select: (value: Value) => unknown = (value) => value,
) {
  return useSyncExternalStore(subscribe, () => select(get()))
}

/** The `subscribe` of `useSyncExternalStore` for events of the browser. */
export function onEvents(target: EventTarget | undefined, ...types: readonly string[]) {
  return (listener: () => void): (() => void) => {
    for (const type of types) target?.addEventListener(type, listener)
    return () => {
      for (const type of types) target?.removeEventListener(type, listener)
    }
  }
}
