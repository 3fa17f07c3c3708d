import { group, key, nullable, path, text, type ConfigOf } from "./config-nodes.ts";
import { contextKeys, interactionKeys, modelKeys, personalityKeys } from "./config-schema-mind.ts";
import { approvalKeys, channelKeys, gateKeys, limitKeys, sandboxKeys, skillKeys } from "./config-schema-work.ts";

/** The one schema of Silas' configuration: every key by its wire name, under the root `silas` of a file. */
export const CONFIG_SCHEMA = group({
  owner_id: key(text({ pattern: /^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/, expected: "a name without spaces" }), {
    is: "owner",
    doc: "Identity of the owner.",
  }),
  data_dir: key(path(), {
    is: "./data",
    doc: "Where everything is kept: `./data` in a checkout, otherwise the data directory of your system.",
  }),
  ...modelKeys,
  ...contextKeys,
  ...personalityKeys,
  ...interactionKeys,
  ...channelKeys,
  ...limitKeys,
  ...sandboxKeys,
  ...approvalKeys,
  ...gateKeys,
  active_goal: key(nullable(path()), { is: null, doc: "Plan file of a goal to take up at start." }),
  ...skillKeys,
  skills_dir: key(path(), {
    is: "./silas/skills",
    doc: "Your skills: `./silas/skills` in a checkout, otherwise `skills` in data_dir.",
  }),
});

export type Config = ConfigOf<typeof CONFIG_SCHEMA>;
