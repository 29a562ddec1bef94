/** What the desk logs at its start, and its warnings about the service. */
import { expect, it, onTestFinished } from "vitest"
import { freePort } from "./desk/store/testing/free-port.ts"
import { answerJson, startUpstream } from "./desk/testing/upstreams.ts"
import { goodVariables, type Variables } from "./commands/testing/good-desk.ts"
import { startDesk } from "./server.ts"

async function start(variables: Variables) {
  const logged: string[] = []
  const desk = await startDesk(variables, { log: (line) => void logged.push(line) })
  onTestFinished(() => desk.stop())
  desk.announce()
  const lines = () => logged.map((line): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>)
  const text = async (path: string) => (await fetch(desk.url + path)).text()
  return { desk, lines, text, isStarted: () => lines().some(({ message }) => message === "started") }
}

it("logs the address that people use, the store, the service, sign-in, who may approve, notices and the version", async () => {
  const variables = await goodVariables()
  const { lines, isStarted, text } = await start(variables)
  await expect.poll(isStarted).toBe(true)
  expect(lines().find(({ message }) => message === "started")).toEqual({
    level: "info",
    time: expect.any(String) as string,
    message: "started",
    people_use: variables["PUBLIC_URL"],
    store: "SQLite in DATA_DIR, for one desk",
    service: "127.0.0.1",
    sign_in: new URL(variables["OIDC_ISSUER"] ?? "").host,
    approvers: "group finance",
    notices: "none",
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
  })
  expect(lines().filter(({ level }) => level === "warn")).toEqual([])
  expect(await text("/desk/ready")).toBe("ok")
})

it("names the token's account if it has created Work", async () => {
  const upstream = await startUpstream((heard, response) => {
    if (heard.url !== "/api/v1/work?limit=1") return answerJson(heard, response)
    response.writeHead(200, { "Content-Type": "application/json" })
    response.end('{"data":[{"id":"work_1","created_by":"sa_demo"}]}')
  })
  const { lines, isStarted } = await start({ ...(await goodVariables()), WORK_API_URL: upstream.url })
  await expect.poll(isStarted).toBe(true)
  expect(lines()).toContainEqual(expect.objectContaining({ message: "started", service: "127.0.0.1, as sa_demo" }))
})

it.each([
  [
    "does not answer",
    async () => ({ WORK_API_URL: `http://127.0.0.1:${await freePort()}` }),
    /\(refused\): check WORK_API_URL/,
    /gave no answer \(refused\)/,
  ],
  [
    "refuses the token",
    async () => ({ WORK_API_TOKEN: "wrong-token-5e1f" }),
    /\(401\): change WORK_API_TOKEN/,
    /refused the token/,
  ],
] as const)(
  "warns of a service that %s, in the log and at /desk/ready but not at /desk/health",
  async (_, change, warning, ready) => {
    const { lines, isStarted, text } = await start({ ...(await goodVariables()), ...(await change()) })
    await expect.poll(isStarted).toBe(true)
    const warned = () => lines().filter(({ level }) => level === "warn")
    await expect.poll(warned).toHaveLength(1)
    expect(warned()[0]?.["message"]).toMatch(warning)
    expect(await text("/desk/ready")).toMatch(/^ok, but the service .* \d+ s ago$/)
    expect(await text("/desk/ready")).toMatch(ready)
    expect(await text("/desk/health")).toBe("ok")
    expect(JSON.stringify(lines())).not.toContain("wrong-token-5e1f")
  },
)

it("warns of a service that is silent, within 5 s", async () => {
  const upstream = await startUpstream(() => undefined)
  const { lines, isStarted } = await start({ ...(await goodVariables()), WORK_API_URL: upstream.url })
  await expect.poll(isStarted, { timeout: 10_000 }).toBe(true)
  await expect
    .poll(lines)
    .toContainEqual(expect.objectContaining({ level: "warn", message: expect.stringContaining("for 4 s") as string }))
})

it("names the address of people and where it listens, when they differ", async () => {
  const { lines, desk } = await start({ ...(await goodVariables()), PUBLIC_URL: "https://desk.example" })
  expect(lines()).toContainEqual(
    expect.objectContaining({ message: `Workdesk is at https://desk.example, listening on ${desk.url}` }),
  )
})
