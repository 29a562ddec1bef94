/** Refuses to start on a DATA_DIR that was restored only in part. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { ConfigurationError } from "../../platform/configuration-error.ts"

/** The file that `npm run restore` keeps in DATA_DIR until everything is restored. */
export const UNFINISHED_RESTORE = "restore-unfinished"

/** @throws ConfigurationError when DATA_DIR holds only a part of a backup, because a restore was ended before its end */
export function refuseUnfinishedRestore(dataFolder: string): void {
  if (existsSync(join(dataFolder, UNFINISHED_RESTORE)))
    throw new ConfigurationError("DATA_DIR has an unfinished restore: run npm run restore again")
}
