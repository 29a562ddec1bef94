import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Artifact } from "../../contract/resources.ts"
import { api, dataOf } from "../client/api.ts"
import { DeskError } from "../client/desk-error.ts"
import { artifactsKey } from "../client/query-keys.ts"
import { pollInterval } from "../client/polling.ts"

/** The versions of the results of a Work that this page has read, by path, the newest last. */
export type KnownVersions = Readonly<Record<string, readonly Artifact[]>>

const NONE: KnownVersions = {}
const knownVersionsKey = (workId: string) => ["artifact-versions", workId] as const

/** The paces of the reads, in milliseconds: fast while a result is being processed. Otherwise events have the list read again. */
const PROCESSING_PACE = pollInterval({ fast: 1_000, slow: 5_000 })
const QUIET_PACE = pollInterval({ fast: 30_000, slow: 60_000 })

/** The results of a Work: the latest version of each path. */
export function useArtifacts(workId: string): {
  readonly artifacts: readonly Artifact[] | undefined
  readonly known: KnownVersions
  readonly error: DeskError | undefined
} {
  const client = useQueryClient()
  const { data, error } = useQuery(
    queryOptions({
      queryKey: artifactsKey(workId),
      queryFn: async ({ signal }) => {
        const list = await dataOf(api.GET("/api/v1/work/{id}/artifacts", { params: { path: { id: workId } }, signal }))
        client.setQueryData<KnownVersions>(knownVersionsKey(workId), (known = NONE) => withVersions(known, list.data))
        return list.data
      },
      refetchInterval: (query) =>
        query.state.data?.some(isProcessing) === true ? PROCESSING_PACE(query) : QUIET_PACE(query),
    }),
  )
  const { data: known = NONE } = useQuery<KnownVersions>({
    queryKey: knownVersionsKey(workId),
    queryFn: () => NONE,
    enabled: false,
  })
  return { artifacts: data, known, error: error instanceof DeskError ? error : undefined }
}

/** Whether a result can be downloaded: its state is `available`, or it has no state (openapi.yaml, Artifact). */
export function isAvailable({ processing_state: state }: Artifact): boolean {
  return state === undefined || state === "available"
}

function isProcessing({ processing_state: state }: Artifact): boolean {
  return state === "processing"
}

/** `known` with the new versions of a list; the same object where the list has none. */
function withVersions(known: KnownVersions, artifacts: readonly Artifact[]): KnownVersions {
  const fresh = artifacts.filter(
    ({ path, version, content_hash: hash }) =>
      !(versionsAt(known, path) ?? []).some((each) => each.version === version && each.content_hash === hash),
  )
  if (fresh.length === 0) return known
  return Object.fromEntries([
    ...Object.entries(known),
    ...fresh.map((artifact) => [artifact.path, [...(versionsAt(known, artifact.path) ?? []), artifact]] as const),
  ])
}

/** The known versions of a path. */
export function versionsAt(known: KnownVersions, path: string): readonly Artifact[] | undefined {
  return Object.hasOwn(known, path) ? known[path] : undefined
}
