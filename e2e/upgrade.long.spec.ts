import { savingData } from "./fixtures.ts"
import { readToTheEnd } from "./inbox-verbs.ts"
/** A rolling upgrade of two desks behind nginx, while ten people work in ten browsers. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { type Browser, expect, type Locator, type Page, test } from "@playwright/test"
import { build } from "vite"
import { type Desks, startDesks } from "../deploy/testing/desks.ts"
import { PersonClient } from "../deploy/testing/person.ts"
import { findMissing } from "../deploy/testing/programs.ts"
import type { AttentionList, Work } from "../src/contract/resources.ts"
import { sequences } from "./feed-verbs.ts"
import { type PersonName, signInAs } from "./people-verbs.ts"
import { chooseColleague } from "./new-work-verbs.ts"

const ROOT = join(import.meta.dirname, "..")
const SCRAPES = 1_000
/** How soon the pages offer the new build after the last desk has been upgraded. */
const MINUTE_MS = 60_000

const missing = findMissing({ nginx: "nginx-light", openssl: "openssl" })

/** A person at work in a browser of their own. */
type Worker = {
  readonly name: string
  readonly page: Page
  /** Does one thing and expects that it worked. */
  readonly step: (count: number) => Promise<void>
  /** Leaves what covers the page. */
  readonly leave?: () => Promise<void>
  /** Expects after a reload that what was typed is still there. */
  readonly expectKept: () => Promise<void>
}

/** This checkout with an app in which every file has another name. `BUILD_BEFORE` names a built checkout of an older version instead. */
async function provideBuildBefore(folder: string): Promise<string> {
  const named = process.env["BUILD_BEFORE"]
  if (named !== undefined) return named
  for (const name of ["src", "package.json"]) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
  const fileName = "assets/before-[name]-[hash]"
  await build({
    root: ROOT,
    logLevel: "warn",
    build: {
      outDir: join(folder, "dist"),
      emptyOutDir: true,
      rolldownOptions: {
        output: {
          entryFileNames: `${fileName}.js`,
          chunkFileNames: `${fileName}.js`,
          assetFileNames: `${fileName}[extname]`,
        },
      },
    },
  })
  return folder
}

const reload = (page: Page) =>
  page
    .getByRole("status")
    .filter({ hasText: "A new version of Workdesk" })
    .getByRole("button", { name: "Reload", exact: true })

test.skip(missing.length > 0, missing.join(", "))

test("ten people work on through a rolling upgrade, and each is offered the new build", async ({ browser }) => {
  test.setTimeout(480_000)
  await using closing = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), "workdesk-before-"))
  closing.defer(() => rmSync(folder, { recursive: true }))
  const desks = await startDesks({ program: "nginx", root: await provideBuildBefore(folder) })
  closing.defer(() => desks.stop())

  const ben = new PersonClient(desks.balancer.url, desks.balancer.certificate)
  closing.defer(() => ben.close())
  await ben.signIn("ben")
  const create = async (title: string, colleague_id: string, objective = "Profile the inputs") => {
    const body = { colleague_id, title, objective, visibility_scope: "organization" }
    const { status, text } = await ben.mutate("/api/v1/work", body)
    expect(status, text).toBe(201)
    return JSON.parse(text) as Work
  }
  for (const title of ["Question 1", "Question 2"]) await create(title, "analyst")
  const letters = Array.from({ length: 30 }, (_, index) => `Letter ${String(index + 1).padStart(2, "0")}.`)
  for (const title of letters) await answerByApi(ben, (await create(title, "analyst")).id)
  const followed = await create("Followed", "metronome", "rate=2")

  const faults: string[] = []
  const programs = [...desks.programs]
  const open = (name: string, person: PersonName, address: string) =>
    openPage(browser, desks, { name, person, address, faults })
  const workers = await Promise.all([
    ...[1, 2].map(async (n) => newWorkTyper(await open(`new work ${n}`, "Ben Okafor", "/work/new"))),
    ...[1, 2].map(async (n) => answerTyper(await open(`answer ${n}`, "Ben Okafor", "/needs-you"), `Question ${n}`)),
    ...[1, 2].map(async (n) =>
      commentTyper(await open(`comment ${n}`, "Ada Lovelace", "/approvals"), letters[n - 1] ?? ""),
    ),
    open("feed", "Cleo Martin", `/work/${followed.id}?activity=raw`).then(feedReader),
    open("walk", "Cleo Martin", "/work").then(walker),
    open("create", "Ben Okafor", "/work").then(creator),
    open("approve", "Ada Lovelace", "/approvals").then((page) => approver(page, letters.slice(2))),
  ])
  expect(workers).toHaveLength(10)
  const visitor = await open("visitor", "Cleo Martin", "/work")
  const late = await open("late", "Ben Okafor", "/work/new")
  await savingData(late)
  await late.reload()

  const over = new AbortController()
  const steps = new Map<string, number>()
  const working = Promise.all(
    workers.map(async ({ name, step }) => {
      for (let count = 0; !over.signal.aborted; count++) {
        await step(count)
        steps.set(name, count + 1)
      }
    }),
  )
  const scraping = scrape(desks, over.signal)
  const everybodyWorks = async () => {
    const before = new Map(steps)
    const slowest = () => Math.min(...workers.map(({ name }) => (steps.get(name) ?? 0) - (before.get(name) ?? 0)))
    await expect.poll(slowest, { timeout: 60_000 }).toBeGreaterThanOrEqual(2)
  }
  const upgrade = async (index: 0 | 1) => {
    await desks.programs[index].stop("SIGTERM")
    await desks.restart(index)
    programs.push(desks.programs[index])
  }
  const upgrading = async () => {
    await late.getByLabel("Objective").fill("Typed before the upgrade")
    await everybodyWorks()
    await upgrade(0)
    // Both builds serve. Whichever desk a page comes from, its files come from the one that has them.
    for (let count = 0; count < 10; count++) {
      await visitor.goto(count % 2 === 0 ? "/overview" : "/record")
      await expect(visitor.getByRole("heading", { level: 1 })).toHaveText(count % 2 === 0 ? "Overview" : "Record")
    }
    await everybodyWorks()
    const refused = programs.reduce((sum, each) => sum + countMissingFiles(each.output()), 0)
    expect(refused, "files that one desk did not have").toBeGreaterThan(0)
    await upgrade(1)
    const upgradedAt = performance.now()
    const seconds = await Promise.all(
      workers.map(async ({ name, page }) => {
        await expect(reload(page), name).toBeVisible({ timeout: MINUTE_MS })
        return Math.round((performance.now() - upgradedAt) / 1_000)
      }),
    )
    await expect(reload(late)).toBeVisible({ timeout: MINUTE_MS })
    console.log(`offered the new build after ${seconds.join(", ")} s; steps: ${[...steps.values()].join(", ")}`)
    await everybodyWorks()
  }
  await Promise.race([upgrading(), working.then(() => Promise.reject(new Error("the workers have stopped")))])
  over.abort()
  await working
  const { count, series } = await scraping
  console.log(`${count} scrapes of ${series} series`)
  expect(faults).toEqual([])

  for (const { page, leave, expectKept } of workers) {
    await leave?.()
    await reload(page).click()
    await expect(reload(page)).toHaveCount(0)
    await expectKept()
  }
  expect(faults).toEqual([])
  const failed = programs.flatMap((each) => each.output().match(/^.*"status":5\d\d.*$/gm) ?? [])
  expect(failed, "requests that a desk could not answer").toEqual([])

  // A page whose code no desk has any more, in a browser that saves data and so has loaded no code ahead.
  await late.getByRole("link", { name: "Overview" }).click()
  await late.getByRole("main").getByRole("alert").getByRole("button", { name: "Reload", exact: true }).click()
  await expect(late.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible()
  await late.getByRole("link", { name: "New Work" }).click()
  await expect(late.getByLabel("Objective")).toHaveValue("Typed before the upgrade")
})

/** Opens a page in its own browser, and records in `faults` whatever fails there. */
async function openPage(
  browser: Browser,
  desks: Desks,
  { name, person, address, faults }: { name: string; person: PersonName; address: string; faults: string[] },
): Promise<Page> {
  const context = await browser.newContext({ baseURL: desks.balancer.url, ignoreHTTPSErrors: true })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const write = (fault: string) => faults.push(`${name}: ${fault}`)
  page.on("pageerror", (error) => write(String(error)))
  page.on("response", (response) => {
    const url = response.url()
    // The approver's item may be decided before the desk has read who looks at it.
    if (name === "approve" && url.endsWith("/desk/presence") && response.status() === 404) return
    // This page has loaded no code ahead, so the banner's code may be on no desk. The banner then shows only its words and its button.
    if (name === "late" && url.includes("/assets/")) return
    if (response.status() >= 400) write(`${response.status()} ${url}`)
  })
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? ""
    // The page itself ends what it has no use for any more. A stream ends with its desk, and the page opens it again.
    if (reason !== "net::ERR_ABORTED" && !request.url().includes("/events")) write(`${reason} ${request.url()}`)
  })
  await signInAs(page, person, address)
  return page
}

/** Types a word at each step into a text that has to keep every word. */
function typer(page: Page, name: string, box: Locator, reopen = async () => {}): Worker {
  let typed = ""
  const expectKept = () => expect(box, name).toHaveValue(typed)
  return {
    name,
    page,
    async step(count) {
      const word = `word${count} `
      await box.pressSequentially(word)
      typed += word
      await expectKept()
    },
    async expectKept() {
      await reopen()
      await expectKept()
    },
  }
}

/** Opens the item of an inbox by its row, which names the colleague after the Work. */
const openItem = (page: Page, title: string) =>
  page
    .getByRole("link")
    .filter({ hasText: `${title} · analyst` })
    .click()

const newWorkTyper = (page: Page) => typer(page, "new work", page.getByLabel("Objective"))

async function answerTyper(page: Page, title: string): Promise<Worker> {
  await openItem(page, title)
  return typer(page, `answer to ${title}`, page.getByRole("textbox", { name: "Your answer" }))
}

async function commentTyper(page: Page, title: string): Promise<Worker> {
  await openItem(page, title)
  const openDialog = () => page.getByRole("button", { name: "Approve", exact: true }).click()
  await openDialog()
  const dialog = page.getByRole("dialog")
  const worker = typer(page, `comment on ${title}`, dialog.getByRole("textbox", { name: "Comment" }), openDialog)
  return { ...worker, leave: () => dialog.getByRole("button", { name: "Cancel" }).click() }
}

function feedReader(page: Page): Worker {
  let newest = 0
  const expectNoGap = async () => {
    const shown = (await sequences(page)).map(Number)
    const [first = 0] = shown
    expect(shown).toEqual(shown.map((_, index) => first - index))
    newest = Math.max(newest, first)
  }
  return {
    name: "feed",
    page,
    async step() {
      const before = newest
      await expect.poll(async () => Number((await sequences(page))[0]), { timeout: 30_000 }).toBeGreaterThan(before)
      await expectNoGap()
    },
    async expectKept() {
      await expect.poll(async () => Number((await sequences(page))[0])).toBeGreaterThanOrEqual(newest)
      await expectNoGap()
    },
  }
}

const PLACES = ["Overview", "Record", "Needs You", "Approvals", "Work"] as const

function walker(page: Page): Worker {
  return {
    name: "walk",
    page,
    async step(count) {
      const place = PLACES[count % PLACES.length] ?? "Work"
      await page
        .getByRole("navigation", { name: "Main" })
        .getByRole("link", { name: new RegExp(`^${place}`) })
        .first()
        .click()
      await expect(page.getByRole("heading", { level: 1, name: place })).toBeVisible()
    },
    expectKept: () => expect(page.getByRole("heading", { level: 1 })).toBeVisible(),
  }
}

function creator(page: Page): Worker {
  let last = ""
  return {
    name: "create",
    page,
    async step(count) {
      last = `Created ${count}`
      await page.getByRole("link", { name: "New Work" }).first().click()
      await chooseColleague(page, "metronome")
      await page.getByLabel("Objective").fill("rate=0.01")
      await page.getByLabel("Title").fill(last)
      await page.getByRole("button", { name: "Create Work" }).click()
      await expect(page.getByRole("heading", { level: 1, name: last })).toBeVisible()
    },
    expectKept: () => expect(page.getByRole("heading", { level: 1, name: last })).toBeVisible(),
  }
}

/** Approves one letter after the other, and reads what is there when all are approved. */
function approver(page: Page, titles: readonly string[]): Worker {
  return {
    name: "approve",
    page,
    async step(count) {
      const title = titles[count]
      if (title === undefined) return delay(500)
      await openItem(page, title)
      await readToTheEnd(page)
      await page.getByRole("button", { name: "Approve", exact: true }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Confirm approve" }).click()
      await expect(page.getByRole("dialog")).toHaveCount(0)
      await expect(page.getByText("Approved").first()).toBeVisible()
    },
    expectKept: () => expect(page.getByRole("heading", { level: 1, name: "Approvals" })).toBeVisible(),
  }
}

async function answerByApi(person: PersonClient, workId: string): Promise<void> {
  const attention = `/api/v1/work/${workId}/attention`
  const read = async () => (await person.json<AttentionList>(attention)).data[0]
  await expect.poll(read).toBeDefined()
  const item = await read()
  const ifMatch = { "if-match": `"${item?.version}"` }
  const resolve = `${attention}/${item?.id}/resolve`
  const { status, text } = await person.mutate(resolve, { response: "Go on" }, undefined, ifMatch)
  expect(status, text).toBe(200)
}

/** How many requests for files a desk refused, by its log. */
const countMissingFiles = (log: string) =>
  log.split("\n").filter((line) => line.includes('"route":"/assets"') && line.includes('"status":404')).length

/** A sample of the Prometheus text format: a name, its labels and a value. */
const SAMPLE = /^(([a-z]\w*)(?:\{(.*)\})?) \S+$/gm
const LABEL = /(\w+)="(?:[^"\\]|\\.)*"/g

/**
 * Reads the metrics of both desks again and again, 1,000 times at least, until `over`. No sample may be NaN. The metrics stay those of the
 * first answer of that process, and each sample of a name has the labels of the first one in both builds; only values of labels come, such
 * as a status.
 */
async function scrape(desks: Desks, over: AbortSignal): Promise<{ readonly count: number; readonly series: number }> {
  const known = new Map<unknown, readonly string[]>()
  const labelsOf = new Map<string, readonly string[]>()
  const series = new Set<string>()
  let count = 0
  while (!over.aborted || count < SCRAPES) {
    for (const index of [0, 1] as const) {
      const program = desks.programs[index]
      const text = await fetch(desks.metrics[index]).then(
        (answer) => answer.text(),
        () => undefined,
      )
      // A desk that has ended has no metrics.
      if (text === undefined) continue
      count++
      expect(text).not.toMatch(/ nan$/im)
      const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? "")
      expect(families).toEqual(known.get(program) ?? families)
      known.set(program, families)
      for (const [, one = "", name = "", labels = ""] of text.matchAll(SAMPLE)) {
        if (series.has(one)) continue
        series.add(one)
        const names = Array.from(labels.matchAll(LABEL), ([, label = ""]) => label)
        expect(names, `labels of ${name}`).toEqual(labelsOf.get(name) ?? names)
        labelsOf.set(name, names)
      }
    }
    await delay(50)
  }
  return { count, series: series.size }
}
