import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { runProgram } from "./testing/run-command.ts"

const programs = readdirSync(import.meta.dirname).filter((name) => /^[a-z]+\.ts$/.test(name) && name !== "command.ts")

const usage = expect.stringMatching(/npm (run|test)/) as string

test.each([...programs, "contract-types/generate.mjs"])(
  "%s prints its usage for an option that it does not have, and does nothing else",
  async (name) => {
    const { code, stdout, stderr } = await runProgram(name, {}, ["--there-is-none"])
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toMatch(/^workdesk: Unknown option '--there-is-none'\n\n/)
    expect(stderr).toEqual(usage)
  },
)

test("--help prints the usage", async () => {
  expect(await runProgram("people.ts", {}, ["--help"])).toEqual({ code: 0, stdout: usage, stderr: "" })
})

test("an id may begin with a hyphen", async () => {
  expect(await runProgram("people.ts", {}, ["end", "-aB3"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("OIDC_ISSUER") as string,
  })
})
