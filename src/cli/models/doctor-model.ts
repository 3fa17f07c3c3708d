import type { LoadedConfig } from "#config";
import { MODEL_ABSENCE_WORDS, modelSetting, modelToWire, modeWords } from "#model";
import type { Finding } from "../house/doctor.ts";

/** What answers here, by the configuration alone: nothing is sent to find that out. */
export function checkModel({ config }: Pick<LoadedConfig, "config">): Finding {
  const setting = modelSetting(config);
  const words = modeWords(modelToWire(setting));
  if (setting.kind === "set") {
    return { check: "model", state: "ok", message: `${words}; silas models test tries it`, fix: null };
  }
  const none = `${words}: capture, journal and search need none`;
  if (setting.reason === "key_missing") return { check: "model", state: "ok", message: none, fix: null };
  const message = `${none}. ${config.models.planner} is not used: ${MODEL_ABSENCE_WORDS[setting.reason]}`;
  return { check: "model", state: "warn", message, fix: "correct models.planner or providers.compatible" };
}
