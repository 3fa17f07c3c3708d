import type { RATING_TARGETS } from "#model";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { usage } from "../terminal/failure.ts";
import { shortId } from "./ids.ts";
import type { JournalClient } from "../client/journal-client.ts";
import { parseDay } from "../terminal/local-time.ts";
import { printOutcome, resolveTask, resolveTimeEntry } from "./records.ts";

type Options = { readonly note: string; readonly day?: string; readonly json?: boolean };
type Target = { readonly targetType: (typeof RATING_TARGETS)[number]; readonly targetId: string };

export const define: Define = (rate, act) => {
  const note = ["--note <text>", "why", ""] as const;
  const json = ["--json", "print what changed as JSON"] as const;
  rate
    .command("day <value>")
    .description("Rate a day from 1 to 5, or none.")
    .option("--day <day>", "which day", "today")
    .option(...note)
    .option(...json)
    .action(act(rateWith(rateDay)));
  rate
    .command("task <task> <value>")
    .description("Rate a task from 1 to 5, or none.")
    .option(...note)
    .option(...json)
    .action(act(rateWith(rateTask)));
  rate
    .command("session <entry> <value>")
    .description("Rate a time entry from 1 to 5, or none.")
    .option(...note)
    .option(...json)
    .action(act(rateWith(rateSession)));
  rate
    .command("list")
    .description("Ratings of days.")
    .option("--from <day>", "first day", "-13")
    .option("--to <day>", "last day", "today")
    .option("--json", "print JSON")
    .action(act(listRatings));
};

type FindTarget = (client: JournalClient, call: Call<Options>) => Promise<Target>;

const rateDay: FindTarget = async (_client, { options, here }) => ({
  targetType: "day",
  targetId: parseDay(options.day ?? "today", here),
});
const rateTask: FindTarget = async (client, { args: [task = ""] }) => ({
  targetType: "task",
  targetId: await resolveTask(client, task),
});
const rateSession: FindTarget = async (client, { args: [entry = ""] }) => ({
  targetType: "timeEntry",
  targetId: await resolveTimeEntry(client, entry),
});

function rateWith(findTarget: FindTarget): Handler<Options> {
  return (call) =>
    call.journal(async (client) => {
      const text = call.args.at(-1) ?? "";
      if (!/^([1-5]|none)$/.test(text))
        throw usage(`"${text}" is not a rating.`, "Ratings are 1 to 5, or none to take one back.");
      const target = await findTarget(client, call);
      const outcome = await client.submit(
        text === "none"
          ? { kind: "rating.clear", ...target }
          : { kind: "rating.set", ...target, value: Number(text), note: call.options.note },
      );
      const what = target.targetType === "day" ? target.targetId : shortId(target.targetId);
      const sentence = text === "none" ? `No rating for ${what} any more` : `Rated ${what}: ${text} of 5`;
      printOutcome(call.terminal, {
        outcome,
        json: call.options.json,
        sentence,
      });
    });
}

type ListOptions = { readonly from: string; readonly to: string; readonly json?: boolean };

const listRatings: Handler<ListOptions> = ({ options, terminal, here, journal }) =>
  journal(async (client) => {
    const ratings = await client.ask({
      kind: "ratings",
      targetType: "day",
      from: parseDay(options.from, here),
      to: parseDay(options.to, here),
    });
    if (options.json) return terminal.json({ ratings });
    if (ratings.length === 0) return terminal.note("No day was rated in these days.");
    for (const { body } of ratings)
      terminal.line(`${body.targetId}  ${"●".repeat(body.value)}${"○".repeat(5 - body.value)}`);
  });
