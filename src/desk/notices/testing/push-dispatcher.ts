/** A desk in a process of its own loads this file first (`--import`), with the address of the test's push service in PUSH_SERVICE_FOR_TEST. */
import { setGlobalDispatcher } from "undici"
import { leadTo } from "../channels/push-receiver.ts"

const { PUSH_SERVICE_FOR_TEST: service } = process.env
if (service !== undefined) setGlobalDispatcher(leadTo(service))
