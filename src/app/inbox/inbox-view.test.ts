import { expect, test } from "vitest"
import type { AssignedPerson } from "../../contract/desk-people.ts"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval, fakeWork, workJson } from "../../desk/watcher/testing/simulation.ts"
import { addressOfView, queryOfView } from "../client/own-saved-views.ts"
import { isWaiting } from "../client/waiting.ts"
import { arrangeLines } from "./inbox-lines.ts"
import {
  addressIn,
  frequentFirst,
  isFiltered,
  isGivenTo,
  isInView,
  isMine,
  readInboxView,
  writeInboxView,
} from "./inbox-view.ts"

const read = (query: string, page: "/needs-you" | "/approvals" = "/approvals") =>
  readInboxView(new URLSearchParams(query), page)

/** Approvals that wait, each with these members. */
function approvals(...items: readonly object[]) {
  const entries = items.map((item, at) => ({
    needs_you: true,
    work: workJson(fakeWork(`w${at}`, at, { json: { title: `Work ${at}` } })),
    item: fakeApproval(`a${at}`, item),
  }))
  const answer = parseJson(JSON.stringify({ attention: [], approvals: entries }))
  return isWaiting(answer) ? answer.approvals : []
}

test("the address keeps what the page understands, and each view has one address", () => {
  const all = "for=mine&q=a+b&colleague=analyst&priority=urgent&team=Finance&to=x%40y&sort=oldest&group=destination"
  expect(writeInboxView(read(`${all}&item=x&work=y`))).toBe(all)
  expect(writeInboxView(read("group=work&for=free"))).toBe("for=free&group=work")
  expect(writeInboxView(read("for=x&sort=newest&priority=soon&group=team&q=&colleague="))).toBe("")
  expect(writeInboxView(read(all, "/needs-you"))).toBe(all)
  const questions = `kind=questions&${all}`
  expect(writeInboxView(read(questions, "/needs-you"))).toBe(questions.replace(/&to=[^&]*|&group=.*/g, ""))
  expect(writeInboxView(read(questions))).toBe(all)
  // The order that views of before were saved with has no name any more.
  expect(writeInboxView(read("sort=by&kind=approvals", "/needs-you"))).toBe("")
  expect(addressIn("/approvals", "q=a", ["w", "i"])).toBe("/approvals?item=i&work=w&q=a")
  expect(addressIn("/needs-you", "")).toBe("/needs-you")
})

test("what is given to an absent person is the stand-in's, too, and was given to the absent person alone", () => {
  const until = "2026-11-30T09:00:00Z"
  const ada = { id: "ada", name: "Ada" }
  const [approval = expect.unreachable()] = approvals({})
  const given = (person: AssignedPerson) => ({
    ...approval,
    assignment: { to: { person }, by: ada, at: until, etag: "" },
  })
  const reader = (id: string) => ({ teams: [], person: { id } })
  const away = given({ ...ada, away: { until, stand_in: { id: "emil", name: "Emil" } } })
  expect(["ada", "emil", "ben"].map((id) => isMine(away, reader(id)))).toEqual([true, true, false])
  expect(["ada", "emil", "ben"].map((id) => isGivenTo(away, reader(id)))).toEqual([true, false, false])
  expect(isMine(given({ ...ada, away: { until, stand_in: null } }), reader("emil"))).toBe(false)
  expect(isInView(away, read("for=mine"), reader("emil"))).toBe(true)
})

test("a filter is what leaves items out: neither the order, nor the groups, nor spaces", () => {
  expect(isFiltered(read("sort=by&group=work&q=+"))).toBe(false)
  for (const query of ["for=free", "q=a", "colleague=a", "priority=low", "team=a", "to=a"])
    expect(isFiltered(read(query)), query).toBe(true)
})

test("words are found in title, Work, destination and subject, in any order, without case and accents, and nowhere else", () => {
  const [letter] = approvals({
    summary: "Pay the Ágoston lease",
    destination: "Bank@example.org",
    subject: "November",
    body: "Secret",
    risk: "High",
  })
  if (letter === undefined) throw new Error("no letter")
  const isFound = (q: string) => isInView(letter, { q }, undefined)
  for (const q of ["agoston", "LEASE pay", "bank@ work", "novem ber", " ", "Á"]) expect(isFound(q), q).toBe(true)
  for (const q of ["secret", "high", "lease rent", "payable"]) expect(isFound(q), q).toBe(false)
})

test("the most frequent value is first, and each value is there once", () => {
  expect(frequentFirst(["b", "c", undefined, "a", "c"])).toEqual(["c", "a", "b"])
})

test("a saved view of an inbox opens that inbox, and every other one the list of Work", () => {
  const opened = (page: "/work" | "/needs-you" | "/approvals", query: string) =>
    addressOfView({ name: "", query: queryOfView(page, query) })
  for (const query of ["", "q=a%20b&to=x"])
    for (const page of ["/work", "/needs-you", "/approvals"] as const)
      expect(opened(page, query)).toBe(page + (query && `?${query}`))
  expect(addressOfView({ name: "", query: "page=record&q=x" })).toBe("/work?page=record&q=x")
})

test("the words of an item are read once, however often the list is filtered", () => {
  const many = approvals(...Array.from({ length: 500 }, (_, at) => ({ summary: `Letter ${at}` })))
  let reads = 0
  for (const { item } of many) {
    const { summary } = item
    Object.defineProperty(item, "summary", { get: () => ((reads += 1), summary) })
  }
  const filter = (q: string) => arrangeLines(many, "/approvals", { q }, undefined, 0).listed.length
  expect(filter("letter 499")).toBe(1)
  expect(reads).toBe(500)
  for (let round = 0; round < 20; round++) expect(filter(`letter 4${10 + round}`)).toBe(1)
  expect(reads).toBe(500)
})
