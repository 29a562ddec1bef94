import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test as base, expect } from "@playwright/test"
import { startProgram } from "./program.ts"

export { expect }

/** Tests of what a newcomer starts: one program, the dashboard with its embedded service, on a folder of its own. */
export const test = base.extend<{ folder: string; address: string }>({
  folder: async ({ browserName }, provide) => {
    const folder = await mkdtemp(join(tmpdir(), `workdesk-story-${browserName}-`))
    await provide(folder)
    await rm(folder, { recursive: true, force: true })
  },
  address: async ({ folder }, provide) => {
    const configuration = join(folder, "service.json")
    await writeFile(configuration, JSON.stringify({ pace: 0.1 }))
    const dashboard = await startProgram("src/server.ts", {
      PORT: "0",
      DATA_DIR: join(folder, "data"),
      SERVICE_CONFIG: configuration,
    })
    await provide(dashboard.url)
    await dashboard.stop()
  },
  baseURL: async ({ address }, provide) => provide(address),
})
