import { createHash } from "node:crypto"
import { parse as parseDisposition } from "content-disposition"
import { describe, expect, test } from "vitest"
import { listOf, member, textOf } from "./testing/client.ts"
import { type Delivery, instruct, TEST_COLLEAGUES } from "./testing/colleagues.ts"
import { execute, folderForTest, serviceForTest, type TestService } from "./testing/test-service.ts"

async function delivered(deliveries: readonly Delivery[], objective = "Deliver") {
  const service = await serviceForTest({ registry: TEST_COLLEAGUES })
  const work = await service.work({ colleague_id: "courier", objective: instruct(deliveries, objective) })
  await service.until(work, "done")
  return { service, work, artifacts: await list(service, work) }
}

const list = async (service: TestService, work: string) =>
  listOf((await service.get(`/api/v1/work/${work}/artifacts`)).body)

const download = (service: TestService, work: string, artifact: unknown) =>
  service.get(`/api/v1/work/${work}/artifacts/${textOf(artifact, "id")}/content`)

describe("results", () => {
  test("are listed in their latest version for each path, and earlier versions can still be downloaded", async () => {
    const { service, work, artifacts } = await delivered([
      ["a.txt", "one"],
      ["b.txt", "two"],
      ["a.txt", "three"],
    ])
    expect(artifacts).toMatchObject([
      { path: "a.txt", version: 2n, size: 5n, processing_state: "available" },
      { path: "b.txt", version: 1n },
    ])
    expect((await download(service, work, artifacts[0])).text).toBe("three")
  })

  test("are downloaded byte for byte, with their hash, version and length", async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
    const { service, work, artifacts } = await delivered([["all.bin", bytes.length]])
    const answer = await download(service, work, artifacts[0])
    expect(answer.bytes.equals(bytes)).toBe(true)
    expect(answer.headers).toMatchObject({
      etag: '"1"',
      "content-length": "70000",
      "content-type": "application/octet-stream",
    })
    const hash = createHash("sha256").update(bytes).digest("hex")
    expect(member(artifacts[0], "content_hash")).toBe(`sha256:${hash}`)
  })

  test("that no longer match their hash cannot be downloaded", async () => {
    const dataFolder = await folderForTest()
    const service = await serviceForTest({ dataFolder, registry: TEST_COLLEAGUES })
    const work = await service.work({ colleague_id: "courier", objective: instruct([["a.txt", "one"]]) })
    await service.until(work, "done")
    execute(dataFolder, "UPDATE artifact SET content = CAST('onE' AS BLOB)")
    const [artifact] = await list(service, work)
    const answer = await download(service, work, artifact)
    expect(answer).toMatchObject({ status: 409, body: { code: "ARTIFACT_DAMAGED", retryable: false } })
  })

  test("may be empty", async () => {
    const { service, work, artifacts } = await delivered([["empty", ""]])
    expect(artifacts).toMatchObject([{ size: 0n }])
    expect((await download(service, work, artifacts[0])).bytes).toHaveLength(0)
  })

  test.each([
    'quo"te.txt',
    "back\\slash.txt",
    "line\r\nbreak: x.txt",
    "Ålesund.txt",
    "日本語 😀.txt",
    "evil\u202Etxt.exe",
    "percent%41.txt",
    "nul\u0000.txt",
    "semi;colon=.txt",
    "-",
  ])("named %j have that name in Content-Disposition", async (name) => {
    const { service, work, artifacts } = await delivered([[`folder/${name}`, "x"]])
    expect(artifacts).toMatchObject([{ path: `folder/${name}` }])
    const disposition = (await download(service, work, artifacts[0])).headers["content-disposition"] ?? ""
    expect(disposition).toMatch(/^attachment; filename[ -~]+$/)
    expect(parseDisposition(disposition).parameters["filename"]).toBe(name)
  })

  test("are listed while they are scanned, and cannot be downloaded yet", async () => {
    const service = await serviceForTest({
      registry: TEST_COLLEAGUES,
      configuration: { pace: 1000 },
    })
    const work = await service.work({ colleague_id: "courier", objective: instruct([["slow.txt", "x"]]) })
    const id = await service.first(work, "artifacts")
    expect(await list(service, work)).toMatchObject([{ processing_state: "processing" }])
    const answer = await service.get(`/api/v1/work/${work}/artifacts/${id}/content`)
    expect(answer).toMatchObject({ status: 409, body: { code: "ARTIFACT_NOT_AVAILABLE", retryable: true } })
  })

  test.each([
    ["artifact:quarantine", "quarantined", "malware_detected"],
    ["artifact:scan-failed", "scan_failed", "stale_signatures"],
    ["artifact:failed", "failed", "processing_error"],
    ["artifact:expired", "expired", "retention_over"],
  ])(
    "with %s in the objective: only the first listed result cannot be downloaded",
    async (value, processing_state, failure_code) => {
      const { service, work, artifacts } = await delivered(
        [
          ["a", "1"],
          ["b", "2"],
        ],
        `Please ${value}, for once`,
      )
      expect(artifacts).toMatchObject([
        { path: "a", processing_state, failure_code },
        { path: "b", processing_state: "available" },
      ])
      expect(member(artifacts[1], "failure_code")).toBeUndefined()
      expect(await download(service, work, artifacts[0])).toMatchObject({
        status: 409,
        body: { code: "ARTIFACT_NOT_AVAILABLE", retryable: false, failure_code },
      })
      expect((await download(service, work, artifacts[1])).status).toBe(200)
    },
  )

  test("cannot be downloaded with artifact:block in the objective", async () => {
    const { service, work, artifacts } = await delivered(
      [
        ["a", "1"],
        ["b", "2"],
      ],
      "Please artifact:block",
    )
    expect(artifacts).toMatchObject([{ processing_state: "available" }, { processing_state: "available" }])
    for (const artifact of artifacts) {
      expect(await download(service, work, artifact)).toMatchObject({ status: 422, body: { code: "POLICY_BLOCKED" } })
    }
  })

  test("cannot be downloaded through another Work", async () => {
    const { service, work, artifacts } = await delivered([["a", "1"]])
    const other = await service.work({ colleague_id: "courier", objective: instruct([]) })
    expect((await download(service, other, artifacts[0])).status).toBe(404)
    expect((await download(service, work, artifacts[0])).status).toBe(200)
  })
})
