import { oneLine, type LocalTime } from "#base";
import { captureToCommand, parseCapture, type Chip } from "#model";
import type { Call, Handler } from "../terminal/context.ts";
import { EXIT } from "../terminal/failure.ts";
import { shortId } from "../journal/ids.ts";
import type { CommandInput } from "../client/journal-client.ts";
import { journalFailure } from "../client/words.ts";
import { showTime } from "../terminal/local-time.ts";
import { changed, printOutcome } from "../journal/records.ts";

type Options = {
  readonly raw?: true;
  readonly notes?: string;
  readonly item?: readonly string[];
  readonly json?: boolean;
};
type Draft = { readonly command: CommandInput & { readonly kind: "task.create" }; readonly chips: readonly Chip[] };

/** Captures one task and says what it understood, so that a misread word is seen at once and `undo` is near. */
export const addTask: Handler<Options> = (call) =>
  call.journal(async (client) => {
    const { options, terminal } = call;
    const { command, chips } = draftTask(call);
    const outcome = await client.submit({
      ...command,
      ...(options.notes === undefined ? {} : { notes: options.notes }),
      ...(options.item === undefined ? {} : { items: [...(command.items ?? []), ...options.item] }),
    });
    const task = changed(outcome, "task");
    const sentence = task === undefined ? "Nothing changed." : `Added: ${shortId(task.id)} ${oneLine(task.body.title)}`;
    const shown = chips.map(({ label }) => `[${oneLine(label)}]`).join(" ");
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: shown === "" ? sentence : `${sentence}\n  ${shown}`,
    });
  });

function draftTask({ args, options, here }: Call<Options>): Draft {
  const text = args.join(" ");
  if (options.raw) return { command: { kind: "task.create", title: text }, chips: [] };
  const captured = parseCapture(text, { today: here.today, now: showTime(here.now) as LocalTime });
  const command = captureToCommand(captured);
  if (!command.ok) throw journalFailure(command.error, EXIT.usage);
  return { command: command.value, chips: captured.chips };
}
