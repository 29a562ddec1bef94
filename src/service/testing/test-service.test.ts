import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { expect, onTestFinished, test, vi } from "vitest"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { folderForTest, startTestService } from "./test-service.ts"

/** Makes the system's temporary folder an empty one for the rest of the test. */
async function emptyTemporaryFolder(): Promise<string> {
  const folder = await folderForTest()
  vi.stubEnv("TMPDIR", folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  return folder
}

test("a service that stops removes its own folder and keeps the data folder of the test", async () => {
  const dataFolder = await folderForTest()
  const temporary = await emptyTemporaryFolder()
  const service = await startTestService({ dataFolder })
  expect(await readdir(temporary)).toHaveLength(1)
  await service.stop()
  expect(await readdir(temporary)).toEqual([])
  expect(existsSync(dataFolder)).toBe(true)
})

test("a service that does not start removes its own folder", async () => {
  const temporary = await emptyTemporaryFolder()
  await expect(startTestService({ configuration: { pace: -1 } })).rejects.toThrow(ConfigurationError)
  expect(await readdir(temporary)).toEqual([])
})
