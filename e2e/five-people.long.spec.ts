import type { Browser, Page } from "@playwright/test"
import * as fc from "fast-check"
import { expect, test } from "./fixtures.ts"
import { askAsPerson, changeAccess, openAs, type PersonName } from "./people-verbs.ts"
import { createAsPerson } from "./record-verbs.ts"
import { addApproval, revise } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

/*
 * Five people of the demonstration look at the same five items: Ben delegated the Work, Ada approves, Emil answers, Cleo reads, Dora is an overseer.
 * After each of thirty random changes, each of their pages says what their buttons allow, and both are what the roles and rules say.
 */

test.use({ deskOptions: { people: true } })

const CHANGES = 30
const PEOPLE = ["Ada Lovelace", "Ben Okafor", "Cleo Martin", "Dora Lind", "Emil Berg"] as const
/** The items, oldest first, and where the letters go. `question` is not a letter. */
const ITEMS = {
  question: undefined,
  plain: "plain@halden.example",
  own: "own@halden.example",
  chief: "chief@halden.example",
  three: "three@halden.example",
} as const
type Item = keyof typeof ITEMS
const NAMES: readonly Item[] = ["question", "plain", "own", "chief", "three"]

type State = {
  readonly answerers: readonly PersonName[]
  readonly approvers: readonly PersonName[]
  /** Who may approve the letter `chief`. */
  readonly chiefs: readonly PersonName[]
  /** Whether a rule keeps Ben from approving in his own Work, where the letter is `own`. */
  readonly barsOwner: boolean
  /** Who has approved the letter `three`, which needs three people. */
  readonly given: readonly PersonName[]
  /** "Ada Lovelace plain": who has set aside what. */
  readonly aside: readonly string[]
  readonly isFrozen: boolean
}

const BEGINNING: State = {
  answerers: ["Emil Berg"],
  approvers: ["Ada Lovelace", "Ben Okafor"],
  chiefs: ["Ada Lovelace"],
  barsOwner: true,
  given: [],
  aside: [],
  isFrozen: false,
}

/** Whether somebody may answer or approve an item, by the roles and rules alone. */
function mayDecide({ answerers, approvers, chiefs, barsOwner }: State, name: PersonName, item: Item): boolean {
  if (item === "question") return answerers.includes(name)
  if (!approvers.includes(name)) return false
  if (item === "own") return !(barsOwner && name === "Ben Okafor")
  return item !== "chief" || chiefs.includes(name)
}

const isAside = ({ aside }: State, name: PersonName, item: Item) => aside.includes(`${name} ${item}`)
const hasGiven = ({ given }: State, name: PersonName, item: Item) => item === "three" && given.includes(name)
const needs = (state: State, name: PersonName, item: Item) =>
  mayDecide(state, name, item) && !hasGiven(state, name, item) && !isAside(state, name, item)

type World = {
  readonly desk: Desk
  readonly pages: ReadonlyMap<PersonName, Page>
  readonly work: string
  readonly ids: Readonly<Record<Item, string>>
}
const pageOf = ({ pages }: World, name: PersonName): Page => {
  const page = pages.get(name)
  if (page === undefined) throw new Error(`${name} has no page`)
  return page
}
type Change = { readonly what: string; readonly next: State; readonly make: (world: World) => Promise<unknown> }

const emailOf = (name: PersonName) => `email:${name.split(" ", 1)[0]?.toLowerCase() ?? ""}@example.com`

function writeAccess(desk: Desk, { answerers, approvers, chiefs, barsOwner }: State): Promise<void> {
  return changeAccess(desk, () => ({
    roles: {
      reader: ["anyone"],
      delegator: [emailOf("Ben Okafor")],
      answerer: answerers.map(emailOf),
      approver: approvers.map(emailOf),
    },
    rules: [
      { destination: ITEMS.chief, approvers: chiefs.map(emailOf) },
      { destination: ITEMS.three, approvalsNeeded: 3 },
      ...(barsOwner ? [{ destination: ITEMS.own, preventSelfApproval: true }] : []),
    ],
  }))
}

const toggled = <Value>(values: readonly Value[], value: Value) =>
  values.includes(value) ? values.filter((each) => each !== value) : [...values, value]

/** Every change that is possible, by its kind. */
function changesOf(state: State): readonly (readonly Change[])[] {
  const access = (what: string, changed: Partial<State>): Change => {
    const next = { ...state, ...changed }
    return { what, next, make: ({ desk }) => writeAccess(desk, next) }
  }
  const hour = () => new Date(Date.now() + 3_600_000).toISOString()
  const setAside = (name: PersonName, item: Item): Change => ({
    what: `${name} ${isAside(state, name, item) ? "brings back" : "sets aside"} ${item}`,
    next: { ...state, aside: toggled(state.aside, `${name} ${item}`) },
    make: (world) =>
      askAsPerson(pageOf(world, name), "PUT", "/desk/aside", {
        work: world.work,
        item: world.ids[item],
        version: item === "question" ? "2" : "1",
        until: isAside(state, name, item) ? null : hour(),
      }),
  })
  const approve = (name: PersonName): Change => ({
    what: `${name} approves`,
    next: { ...state, given: [...state.given, name] },
    make: (world) =>
      askAsPerson(
        pageOf(world, name),
        "POST",
        `/api/v1/work/${world.work}/approvals/${world.ids.three}/resolve`,
        { decision: "approve" },
        { "if-match": '"1"' },
      ),
  })
  const withdraw = (name: PersonName): Change => ({
    what: `${name} withdraws`,
    next: { ...state, given: state.given.filter((each) => each !== name) },
    make: (world) =>
      askAsPerson(pageOf(world, name), "DELETE", `/desk/approvals/${world.work}/${world.ids.three}/mine`),
  })
  const mayApprove = PEOPLE.filter((name) => mayDecide(state, name, "three") && !state.given.includes(name))
  return [
    PEOPLE.map((name) => access(`answerer ${name}`, { answerers: toggled(state.answerers, name) })),
    // Whoever has approved keeps the role, because the desk doesn't count an approval of somebody without it.
    PEOPLE.filter((name) => !state.given.includes(name)).map((name) =>
      access(`approver ${name}`, { approvers: toggled(state.approvers, name) }),
    ),
    [
      ...PEOPLE.map((name) => access(`chief ${name}`, { chiefs: toggled(state.chiefs, name) })).filter(
        ({ next }) => next.chiefs.length > 0,
      ),
      access("the rule about own Work", { barsOwner: !state.barsOwner }),
    ],
    [...(state.given.length < 2 && !state.isFrozen ? mayApprove.map(approve) : []), ...state.given.map(withdraw)],
    PEOPLE.flatMap((name) =>
      NAMES.filter((item) => mayDecide(state, name, item) && !hasGiven(state, name, item)).map((item) =>
        setAside(name, item),
      ),
    ),
    [
      {
        what: state.isFrozen ? "the freeze ends" : "a freeze",
        next: { ...state, isFrozen: !state.isFrozen },
        make: (world) =>
          state.isFrozen
            ? askAsPerson(pageOf(world, "Dora Lind"), "DELETE", "/desk/freeze")
            : askAsPerson(pageOf(world, "Dora Lind"), "PUT", "/desk/freeze", {
                colleague: null,
                reason: "It sends in a loop",
              }),
      },
    ],
  ]
}

/** What the pages of a person say. `allowed`: the items that are not set aside and whose buttons act, or would act without the freeze. */
type Said = {
  readonly rows: readonly string[]
  readonly menu: readonly string[]
  readonly title: string
  readonly icon: string
  readonly lead: string
  readonly caption: string
  readonly allowed: readonly string[]
  readonly aside: readonly string[]
  readonly status: string
}

function expected(state: State, name: PersonName): Said {
  const of = (holds: (item: Item) => boolean) => NAMES.filter((item) => holds(item))
  const needed = of((item) => needs(state, name, item))
  const letters = needed.filter((item) => item !== "question").length
  const count = (what: string, number: number) => (number === 0 ? what : `${what} ${String(number)}`)
  const isAble = state.answerers.includes(name) || state.approvers.includes(name)
  const others =
    NAMES.length - needed.length - of((item) => !hasGiven(state, name, item) && isAside(state, name, item)).length
  return {
    rows: needed,
    menu: [count("Needs You", needed.length), count("Questions", needed.length - letters), count("Approvals", letters)],
    title: needed.length === 0 ? "Needs You · Workdesk" : `(${String(needed.length)}) Needs You · Workdesk`,
    icon: isAble && needed.length > 0 ? "/icon-waiting.svg" : "/icon.svg",
    lead: needed[0] === undefined ? "Nothing needs you." : `Longest waiting: item ${needed[0]}.`,
    caption: others === 0 ? "" : `${String(others)} ${others === 1 ? "waits" : "wait"} for others`,
    allowed: needed,
    aside: of((item) => isAside(state, name, item)),
    status: needed.length > 0 ? "Needs You" : "Waiting for a decision",
  }
}

type Tabs = { readonly inbox: Page; readonly overview: Page; readonly work: Page }

async function read({ inbox, overview, work }: Tabs): Promise<Said> {
  const [list, lead, card] = await Promise.all([
    inbox.evaluate(() => ({
      rows: [...document.querySelectorAll("[data-row]")].map((row) => /item (\w+)\./.exec(row.textContent)?.[1] ?? ""),
      menu: [...document.querySelectorAll("nav[aria-label=Main] a")]
        .map((link) => link.textContent.replaceAll(/\s+/g, " ").trim())
        .filter((name) => /^(Needs You|Questions|Approvals)/.test(name)),
      title: document.title,
      icon: document.querySelector("#icon")?.getAttribute("href") ?? "",
    })),
    overview.evaluate(() => {
      const text = document.querySelector("main")?.textContent ?? ""
      const found = /Longest waiting: .*?(item \w+\.)/.exec(text)?.[1]
      return {
        lead: found === undefined ? (/Nothing needs you\./.exec(text)?.[0] ?? "") : `Longest waiting: ${found}`,
        caption: /\d+ waits? for others/.exec(text)?.[0] ?? "",
      }
    }),
    work.evaluate(() => {
      const readOn = [...document.querySelectorAll("button")].find(
        (each) => each.textContent === "Read to the end" && each.checkVisibility({ visibilityProperty: true }),
      )
      readOn?.click()
      const cards = [...document.querySelectorAll("article")].map((article) => {
        const buttons = [...article.querySelectorAll("button")]
        const approve = buttons.find(({ textContent }) => textContent.startsWith("Approve"))
        const answer = article.querySelector("textarea")
        const why = document.getElementById(approve?.getAttribute("aria-describedby") ?? "")?.textContent ?? ""
        const acts = (element: Element | null | undefined) => element?.ariaDisabled !== "true"
        return {
          item: /item (\w+)\./.exec(article.querySelector("h3")?.textContent ?? "")?.[1] ?? "",
          isAllowed: approve === undefined ? acts(answer) : acts(approve) || /ha(s|ve) frozen this desk/.test(why),
          isAside: buttons.some(({ textContent }) => textContent === "Bring back"),
        }
      })
      const of = (holds: (card: (typeof cards)[number]) => boolean) =>
        cards.flatMap((card) => (holds(card) ? card.item : []))
      const text = document.querySelector("main")?.textContent ?? ""
      const status = /The renewal.*?(Needs You|Waiting for an? (?:answer|decision))/.exec(text)?.[1] ?? ""
      return { allowed: of((card) => card.isAllowed && !card.isAside), aside: of((card) => card.isAside), status }
    }),
  ])
  return { ...list, ...lead, ...card }
}

async function openTabs(browser: Browser, desk: Desk, name: PersonName, work: string): Promise<Tabs> {
  const inbox = await openAs(browser, desk, name, "/needs-you")
  const open = async (address: string) => {
    const page = await inbox.context().newPage()
    // So that every letter is on the screen as a whole.
    await page.setViewportSize({ width: 1280, height: 4_000 })
    await page.goto(address)
    return page
  }
  return { inbox, overview: await open("/overview"), work: await open(`/work/${work}`) }
}

test("badge, title, icon, Overview and rows of five people say what their buttons allow, through thirty changes", async ({
  browser,
  desk,
}) => {
  test.setTimeout(180_000)
  const seed = Number(process.env["SEARCH_SEED"] ?? Date.now() % 2 ** 31)
  console.log(`SEARCH_SEED=${String(seed)}`)
  const ben = await openAs(browser, desk, "Ben Okafor", "/work")
  const work = await createAsPerson(ben, "The renewal")
  const question = await desk.owner.waitForQuestion(work)
  revise(desk, "attention", question.id, { title: "item question." })
  const letterTo = (item: Item) =>
    addApproval(desk, work, { summary: `item ${item}.`, destination: ITEMS[item] ?? "", body: "Dear reader" })
  const ids = {
    question: question.id,
    plain: letterTo("plain"),
    own: letterTo("own"),
    chief: letterTo("chief"),
    three: letterTo("three"),
  }
  await writeAccess(desk, BEGINNING)
  const tabs = await Promise.all(PEOPLE.map(async (name) => [name, await openTabs(browser, desk, name, work)] as const))
  const world = { desk, pages: new Map(tabs.map(([name, { overview }]) => [name, overview])), work, ids }

  const history: string[] = []
  const expectAgreement = (state: State) =>
    expect
      .poll(async () => Object.fromEntries(await Promise.all(tabs.map(async ([name, of]) => [name, await read(of)]))), {
        message: `seed ${String(seed)}: ${history.join("; ")}`,
        intervals: [100],
        // Fifteen pages read the desk at once.
        timeout: 45_000,
      })
      .toEqual(Object.fromEntries(PEOPLE.map((name) => [name, expected(state, name)])))
  let state = BEGINNING
  await expectAgreement(state)
  for (const numbers of fc.sample(fc.tuple(fc.nat(), fc.nat()), { seed, numRuns: CHANGES })) {
    const kinds = changesOf(state).filter((changes) => changes.length > 0)
    const changes = kinds[numbers[0] % kinds.length] ?? []
    const change = changes[numbers[1] % changes.length]
    if (change === undefined) throw new Error("No change is possible")
    history.push(change.what)
    await change.make(world)
    state = change.next
    await expectAgreement(state)
  }
})
