/** `npm run notices` sends a test through one channel, or prints the unsent notices. It reads the desk's environment and can run while the desk runs. */
import { CHANNELS } from "../desk/notices/channels.ts"
import { listUnsent } from "../desk/notices/unsent.ts"
import { readPeopleConfiguration } from "../desk/people/sign-in-configuration.ts"
import { ConfigurationError } from "../platform/configuration-error.ts"
import { RereadFiles } from "../platform/reread-files.ts"
import { openStoreForReading, runAsCommand } from "./command.ts"

const TESTS = CHANNELS.flatMap(({ configure, test }) => (test === undefined ? [] : { configure, ...test }))

const LINES = [
  ...TESTS.map((test) => [`${test.command}${test.needsAddress ? " ADDRESS" : ""}`, test.usage]),
  ["list", "lists the unsent notices, each with its time and the last answer"],
]
const USAGE = `Usage:
${LINES.map(([command = "", usage]) => `  npm run notices -- ${command.padEnd(15)} ${usage}`).join("\n")}`

async function test({ configure, unset, words }: (typeof TESTS)[number], address = ""): Promise<number> {
  const channel = configure(process.env, readPeopleConfiguration(process.env), new RereadFiles())
  if (channel?.test === undefined) throw new ConfigurationError(unset)
  const { isTaken, answer } = await channel.test(address)
  const [receiver, what] = words
  console.log(`${receiver} ${isTaken ? "accepted" : "did not accept"} ${what}: ${answer}`)
  return isTaken ? 0 : 1
}

async function list(): Promise<number> {
  await using database = await openStoreForReading()
  const lines = await listUnsent(database)
  console.log(lines.length === 0 ? "There are no unsent notices." : lines.join("\n"))
  return 0
}

await runAsCommand({ usage: USAGE, options: {} }, async (_, command, address, ...others) => {
  const tested = TESTS.find((each) => each.command === command)
  if (others.length > 0 || (tested?.needsAddress === true) !== (address !== undefined)) return "usage"
  if (tested !== undefined) return test(tested, address)
  return command === "list" ? list() : "usage"
})
