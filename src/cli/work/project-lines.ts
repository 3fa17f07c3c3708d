import { oneLine } from "#base";
import type { ProjectSummary } from "#model";

/** Ids made in the same hour begin alike, so their end is shown. */
const ID_END_CHARS = 8;

/** The tasks of a project, in the order in which they run. */
export function projectLines(project: ProjectSummary | null): readonly string[] {
  if (project === null) return [];
  return [
    "Tasks",
    ...project.children.map(({ title, runId, status, waitsFor }, index) => {
      const waits = waitsFor.length === 0 ? "" : `, waits for ${waitsFor.join(", ")}`;
      return `  ${index + 1}. ${oneLine(title)}: ${status}${waits}  (${runId.slice(-ID_END_CHARS)})`;
    }),
  ];
}
