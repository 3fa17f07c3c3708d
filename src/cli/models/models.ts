import { MODEL_ABSENCE_WORDS, MODEL_FAILURE_WORDS, modelNext, modelSetting, placeWords, type ModelKey } from "#model";
import { loadSetup } from "../client/setup.ts";
import { withMessages } from "../messages/open-messages.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";

type Options = { readonly json?: boolean };

export const define: Define = (models, act) => {
  models
    .command("show")
    .description("Which model answers, where it is asked and what goes with it. Nothing is sent.")
    .option("--json", "print JSON")
    .action(act(showModel));
  models
    .command("test")
    .description("Put one plain question to the model; nothing of yours goes with it.")
    .option("--json", "print JSON")
    .action(act(testModel));
};

const showModel: Handler<Options> = async ({ options, terminal, environment }) => {
  const { config } = loadSetup(environment);
  const { planner, toolCalls, timeoutSeconds, maxOutputTokens, tokensPerDay } = config.models;
  const setting = modelSetting(config);
  if (setting.kind === "absent") {
    if (options.json) return terminal.json({ model: null, configured: planner, reason: setting.reason });
    terminal.line(
      `No AI model - built-in rules. ${planner} is configured, but ${MODEL_ABSENCE_WORDS[setting.reason]}.`,
    );
    terminal.note("docs/models.md says how to use one on this machine, or any other.");
    return;
  }
  const { place } = setting;
  const key = keyWords(place.key);
  if (options.json) {
    const { provider, model, reach } = place;
    return terminal.json({
      model,
      provider,
      host: placeWords(place),
      reach,
      key: place.key.kind,
      tool_calls: toolCalls,
    });
  }
  terminal.line(`Model    ${place.model} (${place.provider})`);
  terminal.line(`Asked at ${placeWords(place)}, ${place.reach === "local" ? "on this machine" : "encrypted"}`);
  terminal.line(`Key      ${key}`);
  terminal.line(`Tools    ${TOOL_CALL_WORDS[toolCalls]} (tool_calls: ${toolCalls})`);
  terminal.line(
    `Limits   ${maxOutputTokens} tokens an answer, ${timeoutSeconds} s, ${tokensPerDay} tokens in 24 hours`,
  );
};

const TOOL_CALL_WORDS = { native: "called by the model itself", json: "written by the model as JSON" } as const;

function keyWords(key: ModelKey): string {
  if (key.kind === "none") return "none";
  return key.kind === "vault" ? `${key.ref}, from the vault` : "from the configuration";
}

const testModel: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const tried = await withMessages(call, ({ messages }) => messages.talk.tryModel());
  if (options.json) {
    terminal.json(tried.ok ? { answered: true, understood: tried.value.saidSo } : { answered: false, ...tried.error });
    return tried.ok ? 0 : 1;
  }
  if (!tried.ok) {
    const { code } = tried.error;
    throw new CommandFailure({
      what: `The model gave no answer: ${MODEL_FAILURE_WORDS[code]}.`,
      kept: "Nothing was changed.",
      next: modelNext(code),
    });
  }
  const { bytesReceived, tokens, saidSo } = tried.value;
  terminal.line(`The model answered, with ${bytesReceived} bytes and ${tokens} tokens.`);
  if (!saidSo) terminal.note("It did not say what it was asked to say; small models may not write plans.");
  return 0;
};
