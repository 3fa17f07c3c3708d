import { isOfTheDead } from "../work-dir.ts";
import { LABEL } from "./container-order.ts";
import { fieldOf } from "./engine-client.ts";
import type { Engine } from "./find-engine.ts";
import { removeContainer } from "./launch-container.ts";

/**
 * Removes the containers of processes that are gone. They end by themselves when Silas does, but nobody else removes them.
 * Others than those of this folder are left alone. Answers with how many there were.
 */
export async function sweepContainers(engine: Engine, workDir: string): Promise<number> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`${LABEL.place}=${workDir}`] }));
  const listed = await engine.call({ method: "GET", path: `/containers/json?all=true&filters=${filters}` });
  const stale = (listed.ok && Array.isArray(listed.value) ? listed.value : []).filter((container: unknown) =>
    isOfTheDead(String(fieldOf(container, "Labels", LABEL.run))),
  );
  for (const container of stale) await removeContainer(engine, String(fieldOf(container, "Id")));
  return stale.length;
}
