import { defineKind, schemaOf, useEntry } from "./storage.ts"

/** An entry exists where the person has switched the single-key shortcuts off (WCAG 2.1.4). */
const switchedOff = defineKind<readonly [], true>({
  name: "single-keys-off",
  version: 1,
  schema: schemaOf((value) => value === true),
  forgetAfterMs: 10 * 365 * 24 * 60 * 60_000,
})

/** Whether J, K, A, D, / and ? act on the page. */
export function singleKeysAct(): boolean {
  return switchedOff().read() !== true
}

/**
 * Whether the single keys act, and a function to change that. The function returns false where the browser cannot keep the choice beyond
 * this page.
 */
export function useSingleKeys(): readonly [on: boolean, change: (on: boolean) => boolean] {
  return [useEntry(switchedOff()) !== true, changeSingleKeys]
}

function changeSingleKeys(on: boolean): boolean {
  if (!on) return switchedOff().write(true)
  switchedOff().remove()
  return true
}
