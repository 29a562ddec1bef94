import { createServer } from "node:http"
import { listen } from "./http-server.ts"
import type { Metrics } from "./metrics.ts"

export type MetricsServer = { readonly port: number; readonly stop: () => Promise<void> }

/**
 * Serves `GET /metrics` at an address of its own (METRICS_HOST, METRICS_PORT) and 404 for everything else.
 * @throws ConfigurationError when the desk cannot listen there
 */
export async function serveMetrics(
  metrics: Metrics,
  address: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const isAsked = request.url === "/metrics" && (request.method === "GET" || request.method === "HEAD")
    if (!isAsked) return void response.writeHead(404, { "Content-Type": "text/plain" }).end("not found\n")
    metrics.text().then(
      (text) => response.writeHead(200, { "Content-Type": metrics.registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  const port = await listen(server, address, { host: "METRICS_HOST", port: "METRICS_PORT" })
  return {
    port,
    async stop() {
      const { promise, resolve } = Promise.withResolvers<void>()
      server.close(() => resolve())
      server.closeAllConnections()
      await promise
    },
  }
}
