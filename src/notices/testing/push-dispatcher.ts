/**
 * Leads every address of `push.example` to a push service of the test, so that endpoints have names that a desk may accept. A desk in a process
 * of its own loads this file first (`--import`), with the service's address in PUSH_SERVICE_FOR_TEST.
 */
import { Agent, type Dispatcher, setGlobalDispatcher } from "undici"

export function leadTo(service: string): Dispatcher {
  return new Agent().compose((dispatch) => (options, handler) => {
    const isPush = String(options.origin).endsWith(".push.example")
    return dispatch(isPush ? { ...options, origin: service } : options, handler)
  })
}

const { PUSH_SERVICE_FOR_TEST: service } = process.env
if (service !== undefined) setGlobalDispatcher(leadTo(service))
