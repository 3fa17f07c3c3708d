import { oneLine } from "#base";
import { readPlanProposal } from "../approval/proposal.ts";
import type { CardRow } from "../cards.ts";

/** What another way takes the place of, and why. */
type Replaced = {
  readonly runId: string;
  readonly title: string;
  readonly why: string;
};

const HEADING = "# What this replaces";
const BEFORE = "It takes the place of ";
const between = (runId: string): string => ` (run ${runId}), which failed: `;

/** The end of the briefing of another way; `different` is what the model says about it. */
export const replacementText = ({ runId, title, why }: Replaced, different: string): string => `${HEADING}

${BEFORE}"${oneLine(title)}"${between(runId)}${oneLine(why)}

What is different, as the model says: ${oneLine(different)}
`;

type Asked = { readonly markdown: string; readonly rows: readonly Pick<CardRow, "path" | "text">[] };

/**
 * What a plan takes the place of, in the words that are signed; null for every other plan. That it is another way is what
 * Silas proposed it as: a briefing alone may say anything. [CONSULT-08]
 */
export function replacedIn({ markdown, rows }: Asked): Replaced | null {
  const proposal = markdown.startsWith("{") ? readPlanProposal(markdown) : null;
  const runId = proposal?.ok === true ? proposal.value.replaces : undefined;
  const body = rows.find(({ path }) => path === "/body")?.text ?? "";
  const begin = body.lastIndexOf(`\n${HEADING}\n`);
  if (runId === undefined || begin === -1) return null;
  const line =
    body
      .slice(begin)
      .split("\n")
      .find((each) => each.startsWith(BEFORE)) ?? "";
  const at = line.lastIndexOf(between(runId));
  if (at === -1) return null;
  return { runId, title: line.slice(BEFORE.length + 1, at - 1), why: line.slice(at + between(runId).length) };
}
