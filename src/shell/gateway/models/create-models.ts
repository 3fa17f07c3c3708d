import { err, ok, type Result } from "#base";
import { modelSetting, secretRefSchema, type Config, type ModelConfig, type ModelKey, type ModelRefusal } from "#model";
import type { ModelGateway, Timers, Vault } from "#ports";
import { systemNetwork, type Network } from "../network.ts";

type ModelsOptions = {
  readonly config: ModelConfig & {
    readonly models: Pick<Config["models"], "timeoutSeconds" | "maxOutputTokens" | "toolCalls">;
  };
  readonly vault: Pick<Vault, "get">;
  readonly timers: Timers;
  readonly network?: Network;
};

/** The model of the configuration. What speaks to it is read with the first question: every command would wait for it. */
export function createModels({ config, vault, timers, network = systemNetwork }: ModelsOptions): ModelGateway {
  const setting = modelSetting(config);
  const timeoutMs = config.models.timeoutSeconds * 1000;
  // Some servers refuse a question with an option that they do not know. Such a one is asked without from then on.
  let asksCounts = true;
  return {
    setting,
    async ask(question) {
      if (setting.kind === "absent") return err({ code: "model_absent" });
      const { place } = setting;
      const key = await revealed(place.key, vault);
      if (!key.ok) return key;
      const { askSdk } = await import("./sdk-models.ts");
      const { maxOutputTokens: outputTokensMax, toolCalls } = config.models;
      const form = { outputTokensMax, toolCalls, asksCounts };
      const asked = await askSdk({ place, network, timers, timeoutMs, key: key.value, ...form }, question);
      if (!asked.ok && asked.error.isWorthAgain === true) asksCounts = false;
      return asked;
    },
  };
}

/** Read for one question, and held no longer. */
async function revealed(key: ModelKey, vault: Pick<Vault, "get">): Promise<Result<string | null, ModelRefusal>> {
  if (key.kind === "none") return ok(null);
  if (key.kind === "setting") return ok(key.secret.reveal());
  const ref = secretRefSchema.safeParse(key.ref);
  const found = ref.success ? await vault.get(ref.data) : null;
  if (found === null || !found.ok) return err({ code: "model_key_missing" });
  const text = Buffer.from(found.value).toString("utf8").trim();
  found.value.fill(0);
  // What cannot stand in a header is no key.
  return /^[\x21-\x7e]+$/.test(text) ? ok(text) : err({ code: "model_key_missing" });
}
