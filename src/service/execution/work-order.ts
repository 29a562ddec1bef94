import type { WorkOrder } from "../../colleagues/colleague.ts"
import type { ServiceContext } from "../context.ts"
import { bytes, optionalInteger, text } from "../store/rows.ts"
import type { Row } from "../store/rows.ts"

/** Reads the order for a colleague from a row of the table `work`: the Work as it was delegated, with its inputs. */
export function readOrder({ store, configuration }: ServiceContext, work: Row): WorkOrder {
  const id = text(work, "id")
  const demonstration = optionalInteger(work, "demonstration")
  const inputs = store.all("SELECT id, name, media_type, content FROM upload WHERE work_id = ? ORDER BY position", id)
  return {
    id,
    title: text(work, "title"),
    objective: text(work, "objective"),
    demonstration: demonstration === undefined ? configuration.current.demonstration : demonstration === 1,
    inputs: inputs.map((row) => ({
      uploadId: text(row, "id"),
      name: text(row, "name"),
      mediaType: text(row, "media_type"),
      content: Buffer.from(bytes(row, "content")).toString(),
    })),
  }
}
