import { expect, it } from "vitest"
import { endedSessions, type ListenedSession, sessionsToAsk } from "./sessions.ts"

const NOW = 1_000
const OVER: ListenedSession = { id: "over", endsAt: NOW }
const GOES_ON: ListenedSession = { id: "goes on", endsAt: NOW + 1 }
const NEVER_READ: ListenedSession = { id: "never read", endsAt: undefined }
const ALL = [OVER, GOES_ON, NEVER_READ]

it.each<[what: string, isRound: boolean, asked: readonly ListenedSession[]]>([
  ["in a round every session is asked about", true, ALL],
  ["between two rounds only one whose end is over or not known", false, [OVER, NEVER_READ]],
])("%s", (_, isRound, asked) => {
  expect(sessionsToAsk(ALL, isRound, NOW)).toEqual(asked)
})

it.each<[what: string, open: readonly ListenedSession[] | undefined, ended: readonly string[]]>([
  ["the store has all: none has ended, and one that is over was prolonged", ALL, []],
  ["the store does not have some: they have ended, whatever was known of their end", [GOES_ON], ["over", "never read"]],
  ["the store has none", [], ["over", "goes on", "never read"]],
  ["the store is away: only one whose known end is over has ended", undefined, ["over"]],
])("%s", (_, open, ended) => {
  expect(endedSessions(ALL, open, NOW)).toEqual(ended)
})
