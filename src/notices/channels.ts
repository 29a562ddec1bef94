/** The channels of notices. A new channel is a file of its own and one line here. */
import type { PeopleConfiguration } from "../people/sign-in-configuration.ts"
import { RereadFiles } from "../platform/reread-files.ts"
import type { Environment } from "../platform/environment.ts"
import type { Channel, ChannelKind } from "./channel.ts"
import { mail } from "./mail.ts"
import { webhook } from "./webhook.ts"

export const CHANNELS: readonly ChannelKind[] = [mail, webhook]

/**
 * Reads which channels are used. A variable that is set and empty is an error.
 * @throws ConfigurationError in one line that names the variable and repeats no value
 */
export function readChannels(
  env: Environment,
  people: PeopleConfiguration,
  files = new RereadFiles(),
): readonly Channel[] {
  return CHANNELS.flatMap(({ configure }) => configure(env, people, files) ?? [])
}
