import { chmod, readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parseHeadText } from "../../desk/record/heads/head-note.ts"
import { isSignedBy, parseNote, parseVerifierKey } from "../../desk/record/heads/signed-note.ts"
import { folderForTest } from "../../desk/store/testing/stores.ts"
import { startDeskProcess } from "../testing/desk-process.ts"
import { runCommand, runProgram } from "../testing/run-command.ts"

const TIMEOUT_MS = 60_000

test(
  "a desk signs a freeze that was made while no desk ran, and the head and its key go through a backup",
  async () => {
    const dataFolder = await folderForTest()
    const environment = { DATA_DIR: dataFolder }
    const killed = await startDeskProcess(environment)
    await killed.end("SIGKILL")
    expect((await stat(join(dataFolder, "record.key"))).mode & 0o777).toBe(0o600)
    expect(await runCommand("freeze", environment, ["on", "Wild"])).toMatchObject({ code: 0 })
    const desk = await startDeskProcess(environment)
    await expect.poll(() => desk.heads().map(({ sequence }) => sequence), { timeout: 20_000 }).toEqual([2])
    expect(await runCommand("freeze", environment, ["off"])).toMatchObject({ code: 0 })
    // The last head is signed at an orderly stop.
    await desk.end("SIGTERM")
    expect(desk.heads().map(({ sequence }) => sequence)).toEqual([2, 4])

    const printed = await runCommand("record", environment, ["key"])
    expect(printed).toMatchObject({ code: 0, stderr: "" })
    const key = parseVerifierKey(printed.stdout.trimEnd())
    expect(key?.name).toBe("workdesk-local")
    for (const { note, sequence, hash } of desk.heads()) {
      const parsed = parseNote(note)
      if (typeof parsed === "string" || key === undefined) throw new Error("no note, or no key")
      expect(parsed.signatures.map((each) => isSignedBy(parsed.text, each, key))).toEqual([true])
      expect(parseHeadText(parsed.text)).toMatchObject({ head: { sequence, hash } })
    }

    const backup = join(await folderForTest(), "backup")
    expect(await runCommand("backup", environment, [backup])).toMatchObject({ code: 0 })
    const keyElsewhere = { ...environment, RECORD_KEY_FILE: join(dataFolder, "elsewhere") }
    expect((await runCommand("backup", keyElsewhere, [backup])).stdout).toContain(
      "the record's key isn't in this backup",
    )
    expect(await runCommand("backup", environment, [backup])).toMatchObject({ code: 0, stderr: "" })
    const restored = { DATA_DIR: join(await folderForTest(), "restored") }
    expect(await runCommand("restore", restored, [backup])).toMatchObject({ code: 0 })
    expect((await stat(join(restored.DATA_DIR, "record.key"))).mode & 0o777).toBe(0o600)
    expect((await runCommand("record", restored, ["key"])).stdout).toBe(printed.stdout)
    expect(await runCommand("freeze", restored, ["on", "Again"])).toMatchObject({ code: 0 })
    const again = await startDeskProcess(restored)
    await expect.poll(() => again.heads().map(({ sequence }) => sequence), { timeout: 20_000 }).toEqual([6])
    await again.end("SIGTERM")
  },
  TIMEOUT_MS,
)

test(
  "a key that others can read, or that is lost, stops the start and the check, and key --new begins another",
  async () => {
    const environment = { DATA_DIR: await folderForTest() }
    const path = join(environment.DATA_DIR, "record.key")
    const check = async () => {
      const { stdout } = await runProgram("../server.ts", environment, ["--check"])
      return stdout.slice(stdout.indexOf("  record key")).split("\n").slice(0, 2).join("\n")
    }
    expect(await check()).toContain("no key yet: the first start makes it")
    await (await startDeskProcess(environment)).end("SIGTERM")
    expect(await check()).toContain("an Ed25519 key that only this user can read")
    const first = (await runCommand("record", environment, ["key"])).stdout.trimEnd()

    await chmod(path, 0o644)
    const open = await startDeskProcess(environment)
    expect(open.said.error).toBe("workdesk: DATA_DIR: record.key can be read by other users: change its mode to 0600\n")
    expect(await check()).toMatch(/can be read by other users[^\n]*\n *→ restore the file/)

    await rm(path)
    const lost = await startDeskProcess(environment)
    expect(lost.said.error).toMatch(
      /^workdesk: DATA_DIR: record\.key is missing: put it back, or begin another key with npm run record -- key --new\n$/,
    )
    expect(await check()).toMatch(/record\.key is missing/)
    expect(await runCommand("record", environment, ["key"])).toMatchObject({ code: 1, stdout: "" })

    const begun = await runCommand("record", environment, ["key", "--new"])
    expect(begun).toMatchObject({ code: 0, stderr: "" })
    const second = begun.stdout.split("\n")[0] ?? ""
    expect(parseVerifierKey(second)?.name).toBe("workdesk-local")
    expect((await runCommand("record", environment, ["key"])).stdout).toBe(`${second}\nEarlier: ${first}\n`)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readFile(path, "utf8")).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    await (await startDeskProcess(environment)).end("SIGTERM")
  },
  TIMEOUT_MS,
)
