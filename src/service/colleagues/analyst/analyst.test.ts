import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import Papa from "papaparse"
import { beforeAll, afterAll, describe, expect, test } from "vitest"
import { isProblem } from "../../../contract/problem.ts"
import { listOf, member, textOf } from "../../testing/client.ts"
import {
  folderForTest,
  makeFolder,
  removeFolder,
  serviceForTest,
  startTestService,
  type TestService,
} from "../../testing/test-service.ts"

const DATA = join(import.meta.dirname, "../../../../node_modules/vega-datasets/data")
const WEATHER = await readFile(join(DATA, "seattle-weather.csv"), "utf8")

async function question(service: TestService, workId: string): Promise<unknown> {
  await service.first(workId, "attention")
  return listOf((await service.get(`/api/v1/work/${workId}/attention`)).body)[0]
}

async function approvals(service: TestService, workId: string, status = ""): Promise<unknown[]> {
  return listOf((await service.get(`/api/v1/work/${workId}/approvals${status}`)).body)
}

const summaryOf = async (service: TestService, workId: string): Promise<string> =>
  textOf(await service.until(workId, "done"), "completion_summary")

describe("the analyst", () => {
  let service: TestService
  let dataFolder: string
  let outbox: string

  beforeAll(async () => {
    dataFolder = await makeFolder()
    outbox = join(dataFolder, "outbox")
    service = await startTestService({ dataFolder })
  })
  afterAll(async () => {
    await service.stop()
    await removeFolder(dataFolder)
  })

  test("profiles a file, asks about it, groups by the answer and sends what was approved", async () => {
    const upload = await service.upload("seattle-weather.csv", WEATHER)
    const id = await service.work({ objective: "Profile this for ops@weather.example", input_upload_ids: [upload] })
    const asked = await question(service, id)
    expect(textOf(asked, "title")).toBe("Which column of seattle-weather.csv matters most?")
    expect(textOf(asked, "what_happened")).toContain("1461 rows and 6 columns")
    expect(textOf(asked, "recommended_action")).toContain("“weather”")
    await service.answer(id, "By WEATHER, please")
    await service.first(id, "approvals?status=pending")

    // The results can be downloaded before the decision.
    const files = await service.results(id)
    expect([...files.keys()].sort()).toEqual(["chart.svg", "columns.csv", "profile.md"])
    const columns = Papa.parse<Record<string, string>>((files.get("columns.csv") ?? "").trimEnd(), {
      header: true,
    }).data
    const rain = columns.find(({ column }) => column === "precipitation")
    expect(Number(rain?.["mean"])).toBeCloseTo(meanOf("precipitation"), 10)
    expect(files.get("profile.md")).toContain("| sun | 640 | 44% |")
    expect(files.get("chart.svg")).toContain(">drizzle</text>")

    const [approval] = await approvals(service, id)
    expect(textOf(approval, "destination")).toBe("ops@weather.example")
    expect(textOf(approval, "subject")).toBe("Profile of seattle-weather.csv: 1461 rows, by weather")
    expect(textOf(approval, "body")).toContain("- “sun”: 640 rows (44%)")
    const before = await lettersIn(outbox)
    expect((await service.decide(id, "approve")).status).toBe(200)
    expect(await summaryOf(service, id)).toBe(
      "Profiled seattle-weather.csv (1461 rows, 6 columns, grouped by “weather”). The summary was sent to ops@weather.example.",
    )
    const [letter] = (await lettersIn(outbox)).filter((name) => !before.includes(name))
    const sent = await readFile(join(outbox, letter ?? ""), "utf8")
    expect(sent).toBe(
      `To: ops@weather.example\nSubject: ${textOf(approval, "subject")}\n\n${textOf(approval, "body")}\n`,
    )
  })

  test("sends nothing after a decline, gives the comment in its summary, and delivers its results", async () => {
    const upload = await service.upload("seattle-weather.csv", WEATHER)
    const id = await service.work({ input_upload_ids: [upload], objective: "Profile approval:second" })
    await service.answer(id, "yes")
    const approval = await service.first(id, "approvals?status=pending")
    const before = await lettersIn(outbox)
    const target = `/api/v1/work/${id}/approvals/${approval}/resolve`
    await service.post(target, { decision: "decline", comment: "Too early" }, { ifMatch: '"1"' })
    const summary = await summaryOf(service, id)
    expect(summary).toContain("The letter was declined, so nothing was sent. The comment: “Too early”.")
    expect(await lettersIn(outbox)).toEqual(before)
    expect(await approvals(service, id)).toHaveLength(1)
    expect((await service.results(id)).size).toBe(3)
  })

  test("asks for a second approval with approval:second in the objective", async () => {
    const upload = await service.upload("a.csv", "k,v\nx,1\nx,2\ny,3\ny,4\n")
    const id = await service.work({ input_upload_ids: [upload], objective: "Send to #one and #two, approval:second" })
    await service.answer(id, "k")
    await service.decide(id, "approve")
    await expect.poll(async () => (await approvals(service, id, "?status=pending")).length).toBe(1)
    expect((await approvals(service, id)).map((approval) => textOf(approval, "destination")).sort()).toEqual([
      "#one",
      "#two",
    ])
    await service.decide(id, "decline")
    expect(await summaryOf(service, id)).toContain(
      "The letter was declined, so nothing was sent to #two. The letter to #one had already been sent.",
    )
  })

  test("without an input: says so in its question and its report, and finishes", async () => {
    const id = await service.work({ objective: "Profile nothing" })
    expect(textOf(await question(service, id), "title")).toContain("no input")
    await service.answer(id, "Just finish")
    await service.decide(id, "decline")
    expect(await summaryOf(service, id)).toContain("There was no input to profile.")
    expect((await service.results(id)).get("profile.md")).toContain("This Work has no input")
  })

  test("says which inputs it cannot read, and profiles the others", async () => {
    const inputs = await Promise.all([
      service.upload("good.csv", "k,v\nx,1\nx,2\ny,3\ny,4\n"),
      service.upload("ragged.csv", "a,b\n1,2,3\n4"),
      service.upload("broken.json", '{"a": ', "application/json"),
      service.upload("notes.md", "# Notes\n", "text/markdown"),
    ])
    const id = await service.work({ input_upload_ids: inputs })
    const happened = textOf(await question(service, id), "what_happened")
    for (const name of ["ragged.csv", "broken.json", "notes.md"])
      expect(happened).toContain(`${name} could not be read.`)
    await service.answer(id, "nonsense")
    await service.decide(id, "approve")
    expect(await summaryOf(service, id)).toContain("Could not read ragged.csv, broken.json and notes.md.")
    const report = (await service.results(id)).get("profile.md") ?? ""
    expect(report).toContain("## Not read")
    expect(report).toContain("The answer names no column of this file, so I used the recommendation: “k”")
  })

  test("finds a column for each of two files in one answer", async () => {
    const inputs = [
      await service.upload("a.csv", "k,v\nx,1\nx,2\ny,3\ny,4\n"),
      await service.upload("b.csv", "v,w\n1,p\n2,p\n3,q\n4,q\n"),
    ]
    const id = await service.work({ input_upload_ids: inputs })
    await service.answer(id, "w")
    await service.decide(id, "approve")
    const report = (await service.results(id)).get("profile.md") ?? ""
    expect(report).toContain("### Grouped by w")
    expect(report).toContain("### Grouped by k")
  })

  test("has a quarantined first Artifact with artifact:quarantine, and blocked downloads with artifact:block", async () => {
    const id = await service.work({ objective: "artifact:quarantine" })
    await service.answer(id)
    await service.first(id, "approvals?status=pending")
    const [first, second] = listOf((await service.get(`/api/v1/work/${id}/artifacts`)).body)
    expect(first).toMatchObject({
      path: "profile.md",
      processing_state: "quarantined",
      failure_code: "malware_detected",
    })
    expect(second).toMatchObject({ processing_state: "available" })
    const refused = await service.get(`/api/v1/work/${id}/artifacts/${textOf(first, "id")}/content`)
    expect([refused.status, isProblem(refused.body)]).toEqual([409, true])

    const blocked = await service.work({ objective: "artifact:block" })
    await service.answer(blocked)
    await service.first(blocked, "approvals?status=pending")
    const artifact = await service.first(blocked, "artifacts")
    expect((await service.get(`/api/v1/work/${blocked}/artifacts/${artifact}/content`)).status).toBe(422)
  })
})

function meanOf(column: string): number {
  const [header = "", ...lines] = WEATHER.trim().split("\n")
  const index = header.split(",").indexOf(column)
  return lines.reduce((sum, line) => sum + Number(line.split(",")[index]), 0) / lines.length
}

async function lettersIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort()
}

test("after a restart the analyst asks no question and delivers no result a second time", async () => {
  const dataFolder = await folderForTest()
  const before = await startTestService({ dataFolder })
  const upload = await before.upload("a.csv", "k,v\nx,1\nx,2\ny,3\ny,4\n")
  const id = await before.work({ input_upload_ids: [upload] })
  const asked = await before.first(id, "attention")
  await before.stop()
  const after = await serviceForTest({ dataFolder })
  expect(await after.first(id, "attention")).toBe(asked)
  await after.answer(id, "k")
  await after.decide(id, "approve")
  await after.until(id, "done")
  const versions = listOf((await after.get(`/api/v1/work/${id}/artifacts`)).body).map((artifact) =>
    member(artifact, "version"),
  )
  expect(versions).toEqual([1n, 1n, 1n])
})
