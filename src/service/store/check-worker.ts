import { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"

const database = new DatabaseSync(String(workerData), { readOnly: true })
parentPort?.postMessage(database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"])
database.close()
