import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Program, startProgram } from "../program.ts"
import type { fillStore } from "./fill-store.ts"

const ROOT = join(import.meta.dirname, "../..")

/** A desk with its embedded service, under the default quota of 600 requests a minute. Each of its `works` Works waits for an approval. */
export async function startDeskWithApprovals(
  works: number,
  environment: Record<string, string> = {},
  root = ROOT,
): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
  const configFile = join(folder, "service.json")
  await writeFile(configFile, JSON.stringify({ limits: { activeWork: 1e6 } }))
  // The tables of the store are those of the checkout.
  const own: { fillStore: typeof fillStore } = await import(pathToFileURL(join(root, "e2e/bench/fill-store.ts")).href)
  own.fillStore(join(folder, "service"), works, {
    work: {
      account: "sa_demo",
      owner: "owner_demo",
      colleague_id: "metronome",
      status: "paused",
      // The time of the Work is used up, so that no colleague works on it.
      execution_limit_ms: 1_000,
      executed_ms: 1_000,
    },
    hasApproval: true,
  })
  const addresses = { PORT: "0", DATA_DIR: folder, SERVICE_CONFIG: configFile }
  const desk = await startProgram("src/server.ts", { ...addresses, ...environment }, [], root)
  return {
    ...desk,
    stop: async (signal) => {
      await desk.stop(signal)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
