import { LIMITS, neutralise } from "#base";
import { keptMessageToWire, ownWordsSchema, toldTurnToWire, type OwnWords } from "#model";
import { orFail } from "../approvals/open-approvals.ts";
import { createInputReader } from "../canonical/input.ts";
import { safeJson } from "../plan/safe-json.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { usage } from "../terminal/failure.ts";
import { AT_TERMINAL, withMessages, type Reached } from "./open-messages.ts";
import { createReplyPrinter } from "./reply-printer.ts";

type Options = {
  readonly replyTo?: string;
  readonly quote?: readonly string[];
  readonly attach?: readonly string[];
  readonly json?: boolean;
};

export const define: Define = (say, act) => {
  say
    .description("Say something to Silas, signed with your key. - reads standard input. Ctrl-C stops the answer.")
    .argument("<words...>", "what you say, or - for standard input")
    .option("--reply-to <id>", "the message this one answers")
    .option("--quote <id...>", "messages whose words this one repeats")
    .option("--attach <place...>", "paths or addresses that belong to it; what they hold does not count as yours")
    .option("--json", "print JSON")
    .action(act(sayWords));
};

const sayWords: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const words = readWords(call, await spokenText(call));
  const printer = createReplyPrinter(terminal);
  const { message, reply, turn } = await withMessages(call, async ({ messages }) => {
    const said = orFail(await messages.say(words, AT_TERMINAL));
    const { messageId } = said.message;
    if (!options.json) terminal.line(neutralise(said.reply));
    // A file or another program gets the reply whole.
    const isShown = terminal.isScreen && options.json !== true;
    const unfollow = isShown ? messages.talk.follow(messageId, printer.hear) : () => {};
    const leave = stopOnInterrupt(messages, messageId);
    try {
      return { ...said, turn: null, ...orFail(await messages.talk.answered(messageId)) };
    } finally {
      leave();
      unfollow();
    }
  });
  if (options.json) {
    const shown = turn === null ? null : toldTurnToWire(turn);
    return terminal.line(safeJson({ message: keptMessageToWire(message), reply, turn: shown }));
  }
  if (message.gate?.told !== undefined) terminal.line(neutralise(message.gate.told));
  if (turn !== null) printer.finish(turn);
  terminal.note(`Message ${message.messageId}; \`silas messages\` lists what was said.`);
  if (message.state === "blocked" || turn?.state === "failed") return 1;
};

/** Ctrl-C ends the answer, not only the look at it. A second one ends this command. */
function stopOnInterrupt({ talk }: Reached["messages"], messageId: string): () => void {
  // A Silas that cannot be reached any more is reported by whoever waits for the answer.
  const stop = (): void => void talk.stop(messageId).catch(() => {});
  process.once("SIGINT", stop);
  return () => void process.off("SIGINT", stop);
}

async function spokenText({ args, outside }: Call<Options>): Promise<string> {
  const [only, ...more] = args;
  if (only !== "-" || more.length > 0) return args.join(" ");
  const bytes = await createInputReader(outside.stdin)("-", { bytesMax: LIMITS.bodyBytes });
  if (!bytes.ok) throw usage(`Standard input cannot be read (${bytes.error.code}).`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.value).replace(/\r?\n$/, "");
  } catch {
    throw usage("Standard input is not valid UTF-8 text.");
  }
}

/** The same check as at the border of the running Silas, before anything is opened or signed. */
function readWords({ options }: Call<Options>, text: string): OwnWords {
  const { replyTo, quote = [], attach = [] } = options;
  const parsed = ownWordsSchema.safeParse({ text, attachments: attach, reply_to: replyTo ?? null, quotes: quote });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") || "the message";
  const reason = issue?.code === "custom" ? issue.message : (issue?.code ?? "invalid");
  throw usage(`This cannot be said: ${field} is not valid (${reason}). Nothing was signed.`);
}
