import type { Refusal } from "../contract/refusal.ts"

const NO_MAIL = { code: "PROXY_NOTICES_NO_MAIL", status: 409, retryable: false } as const

export const noMailHere: Refusal = {
  ...NO_MAIL,
  title: "This desk sends no mail",
  detail: "No mail server is configured for this desk.",
}

export const noMailToYou: Refusal = {
  ...NO_MAIL,
  title: "No mail can be sent to you",
  detail:
    "Your identity provider has not verified an address of yours that mail can be sent to, or the mail server has refused it three times in a row. Signing in again makes the desk try again.",
}

export function testTooSoon(retryAfterSeconds: number): Refusal {
  return {
    code: "PROXY_NOTICES_TEST_TOO_SOON",
    status: 429,
    title: "Too Many Requests",
    detail: "A test mail was sent within the last ten seconds.",
    retryable: true,
    retryAfterSeconds,
  }
}

export const tokenInvalid: Refusal = {
  code: "PROXY_NOTICES_TOKEN_INVALID",
  status: 400,
  title: "This link does not work",
  detail:
    "The link is not whole, or it is older than 90 days. You can change when you get mail on the page Notices of the desk.",
  retryable: false,
}
