import { parentPort, workerData } from "node:worker_threads"
import { findDamage } from "./check.ts"

parentPort?.postMessage(findDamage(String(workerData)))
