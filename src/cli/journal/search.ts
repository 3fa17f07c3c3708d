import type { Define, Handler } from "../terminal/context.ts";
import { shortId } from "./ids.ts";
import { showDay } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { parseRows } from "../tasks/show.ts";

export const define: Define = (search, act) => {
  search
    .argument("<text...>", "words; all must occur")
    .option("--limit <rows>", "at most this many hits", "20")
    .option("--json", "print JSON")
    .action(act(searchJournal));
};

const searchJournal: Handler<{ readonly limit: string; readonly json?: boolean }> = ({
  args,
  options,
  terminal,
  journal,
}) =>
  journal(async (client) => {
    const { hits, tookMs } = await client.ask({
      kind: "search",
      text: args.join(" "),
      limit: Math.min(parseRows(options.limit), 200),
    });
    if (options.json) return terminal.json({ hits, tookMs });
    if (hits.length === 0) return terminal.note("Nothing found.");
    const columns = [
      { header: "ID" },
      { header: "WHAT", spare: 2 },
      { header: "DAY", spare: 1 },
      { header: "TITLE", flexible: true },
    ] as const;
    const rows = hits.map((hit) => [shortId(hit.openId), hit.kind, showDay(hit.at), hit.title || plain(hit.snippet)]);
    printTable(terminal, { columns, rows });
  });

/** Matches in a snippet stand between two control characters; a table shows the text alone. */
const plain = (snippet: string): string => snippet.replace(/[\u0002\u0003]/g, "");
