/** Every question that is typed at: the one place that knows the library, and that an end of input is no answer. */
type Choice = { readonly value: string; readonly label: string };

/** Null when whoever sits there answers nothing: Ctrl-C, Ctrl-D, Escape, or a terminal that is gone. */
export const askText = (message: string): Promise<string | null> =>
  ask<string>((prompts, signal) => prompts.text({ message, signal }));

/** The same for what is not shown while it is typed. */
export const askHidden = (message: string): Promise<string | null> =>
  ask<string>((prompts, signal) => prompts.password({ message, signal }));

export const askYesNo = (question: {
  readonly message: string;
  readonly initialValue: boolean;
}): Promise<boolean | null> => ask<boolean>((prompts, signal) => prompts.confirm({ ...question, signal }));

export const askChoice = (question: {
  readonly message: string;
  readonly options: readonly Choice[];
}): Promise<string | null> =>
  ask<string>((prompts, signal) =>
    prompts.select({ message: question.message, options: [...question.options], signal }),
  );

type Prompts = typeof import("@clack/prompts");

async function ask<T extends string | boolean>(
  question: (prompts: Prompts, signal: AbortSignal) => Promise<T | symbol>,
): Promise<T | null> {
  // Loaded on use: most commands ask nothing.
  const prompts = await import("@clack/prompts");
  // The library would wait for ever: at Ctrl-D the reader below it ends without a word.
  prompts.updateSettings({ aliases: { [CTRL_D]: "cancel" } });
  const over = new AbortController();
  const end = () => over.abort();
  process.stdin.once("end", end).once("close", end);
  try {
    const answer = await question(prompts, over.signal);
    return typeof answer === "symbol" ? null : answer;
  } finally {
    process.stdin.off("end", end).off("close", end);
  }
}
const CTRL_D = "\u0004";
