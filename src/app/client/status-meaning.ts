const MEANINGS = {
  400: "invalid",
  401: "unauthenticated",
  403: "forbidden",
  // The resource does not exist, or this account may not see it: the service does not say which.
  404: "not-visible",
  409: "conflict",
  412: "stale",
  413: "too-large",
  422: "blocked",
  429: "too-many",
  502: "bad-gateway",
  503: "no-capacity",
  504: "too-slow",
} as const

/**
 * What the status of an error means, for every operation (openapi.yaml, `responses`). Code that handles an error branches on this, and the
 * card of an item on its `Refusal` (inbox/item-state.ts).
 */
export type Failure = (typeof MEANINGS)[keyof typeof MEANINGS]

export const FAILURES: Readonly<Record<number, Failure>> = MEANINGS
