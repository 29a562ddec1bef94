/** Delays what a held key would ask for at each repeat: the address, the reads and the presence of a chosen item. */
import { createContext } from "react"
import { createStore } from "../client/create-store.ts"

/** A choice is final after this time without a further one. WebKit throws at more than 100 changes of the history in 10 seconds. */
const REST_MS = 150

/**
 * A value that is followed at once, and acted on only when it has not changed for `REST_MS`. Nothing is acted on when nobody follows the store any
 * more.
 */
export function createRestingChoice<Value>() {
  let timer: ReturnType<typeof setTimeout> | undefined
  const store = createStore<Value | undefined>(undefined, () => () => clearTimeout(timer))
  return {
    store,
    choose: (value: Value, act: () => void) => {
      clearTimeout(timer)
      store.set(value)
      timer = setTimeout(act, REST_MS)
    },
  }
}

/** False while a person moves through a list with a held key. Then nothing is read for the item on the screen, and nobody sees that the person reads it. */
export const AtRest = createContext(true)
