/** The channels of notices. A new channel is a new file and one line here. */
import type { PeopleConfiguration } from "../people/sign-in-configuration.ts"
import { RereadFiles } from "../../platform/reread-files.ts"
import { demand, type Environment } from "../../platform/environment.ts"
import type { Channel, ChannelKind } from "./channel.ts"
import { chat } from "./channels/chat.ts"
import { readBatch } from "./leave-times.ts"
import { mail } from "./channels/mail.ts"
import { push } from "./channels/push.ts"
import { webhook } from "./channels/webhook.ts"

export const CHANNELS: readonly ChannelKind[] = [mail, webhook, chat, push]

/** Reads which channels are used. @throws ConfigurationError in one line that names the variable and repeats no value, also for an empty variable */
export function readChannels(
  env: Environment,
  people: PeopleConfiguration,
  files = new RereadFiles(),
): readonly Channel[] {
  readBatch(env)
  const channels = CHANNELS.flatMap(({ configure }) => configure(env, people, files) ?? [])
  demand(channels.length > 0 || env["NOTICE_BATCH"] === undefined, "NOTICE_BATCH is set, but no notice channel is")
  return channels
}
