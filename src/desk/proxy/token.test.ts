import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { describe, expect, it, onTestFinished } from "vitest"
import { CANARY, send, startTestProxy } from "../testing/desk.ts"
import { startUpstream } from "../testing/upstreams.ts"
import { RereadFiles } from "../../platform/reread-files.ts"
import { currentToken, fixedToken, parseToken, type Token } from "./token.ts"

function start(content: string) {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-"))
  const path = join(folder, "token")
  writeFileSync(path, content)
  const files = new RereadFiles(20)
  const token = currentToken(files.follow("WORK_API_TOKEN_FILE", path, parseToken))
  onTestFinished(() => {
    files.stop()
    rmSync(folder, { recursive: true })
  })
  return { folder, path, token }
}

const authorizationOf = (token: Token) => token.authorize({})["authorization"]

const becomes = (token: Token, value: string) =>
  expect.poll(() => authorizationOf(token), { timeout: 10_000, interval: 10 }).toBe(`Bearer ${value}`)

describe("a token file", () => {
  it("is trimmed, and a change is in use soon: overwritten, replaced, or linked to another file", async () => {
    const { folder, path, token } = start("  one\r\n")
    expect(token.authorize({ a: "b" })).toEqual({ authorization: "Bearer one", a: "b" })
    writeFileSync(path, "two\n\n")
    await becomes(token, "two")
    writeFileSync(join(folder, "next"), "three")
    renameSync(join(folder, "next"), path)
    await becomes(token, "three")
    rmSync(path)
    writeFileSync(join(folder, "real"), "four")
    symlinkSync(join(folder, "real"), path)
    await becomes(token, "four")
  })

  it.each([
    ["empty", (path: string) => writeFileSync(path, "")],
    ["blank", (path: string) => writeFileSync(path, " \n\t")],
    ["gone", (path: string) => rmSync(path)],
    ["unusable", (path: string) => writeFileSync(path, "two\r\nX-Evil: 1")],
    ["not ASCII", (path: string) => writeFileSync(path, "zwéi")],
    ["far too long", (path: string) => writeFileSync(path, "x".repeat(100_000))],
    [
      "a folder",
      (path: string) => {
        rmSync(path)
        mkdirSync(path)
      },
    ],
  ])("that is %s changes nothing, and the next good content is used", async (_, spoil) => {
    const { path, token } = start("one")
    spoil(path)
    const seen = new Set<string | undefined>()
    const until = performance.now() + 200
    const look = () => {
      seen.add(authorizationOf(token))
      return performance.now()
    }
    await expect.poll(look, { interval: 10 }).toBeGreaterThan(until)
    expect([...seen]).toEqual(["Bearer one"])
    rmSync(path, { recursive: true, force: true })
    writeFileSync(path, "two")
    await becomes(token, "two")
  })

  it("has the token of the next request", async () => {
    const { path, token } = start("one")
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url, { token })
    await send(proxy.url, "/api/v1/work")
    writeFileSync(path, "two")
    await becomes(token, "two")
    await send(proxy.url, "/api/v1/work")
    expect(upstream.heard.map(({ headers }) => headers.authorization)).toEqual(["Bearer one", "Bearer two"])
  })

  it.each(["another-token-of-some-length", 'with/four="spellings\\'])(
    "still conceals the token before %s",
    async (next) => {
      const { path, token } = start(CANARY)
      writeFileSync(path, next)
      await becomes(token, next)
      expect(token.conceal(`${CANARY} ${next}`)).toBe("[concealed] [concealed]")
    },
  )
})

describe("a token", () => {
  it("cannot be printed", () => {
    const token = fixedToken(CANARY)
    const printed = [inspect(token, { depth: 9, showHidden: true }), JSON.stringify(token), inspect({ token })]
    expect(printed.join("")).not.toContain(CANARY)
  })

  it("is concealed with JSON escapes and percent-encoding too", () => {
    const token = fixedToken('a/b+c="d\\e')
    for (const spelled of ['a/b+c="d\\e', 'a/b+c=\\"d\\\\e', 'a\\/b+c=\\"d\\\\e', "a%2Fb%2Bc%3D%22d%5Ce"]) {
      expect(token.conceal(`<${spelled}>`)).toBe("<[concealed]>")
    }
  })

  it("is concealed in bytes only when it is too long to be there by chance", () => {
    const bytes = Buffer.from(`{"é":"short ${CANARY}"}`)
    expect(fixedToken("short").concealBytes(bytes)).toBe(bytes)
    expect(fixedToken("tok-8f31").concealBytes(Buffer.from("<tok-8f31>")).toString()).toBe("<[concealed]>")
    expect(fixedToken(CANARY).concealBytes(bytes).toString()).toBe('{"é":"short [concealed]"}')
  })
})
