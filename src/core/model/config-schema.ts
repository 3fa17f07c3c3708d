import { group, key, nullable, path, text, type ConfigOf } from "./config-nodes.ts";
import {
  behaviorPreferencesKeys,
  contextKeys,
  interactionKeys,
  memoryKeys,
  modelsKeys,
  personalityKeys,
  providersKeys,
  rehydrationKeys,
  searchKeys,
  suggestionsKeys,
} from "./config-schema-mind.ts";
import {
  approvalKeys,
  autonomyKeys,
  backpressureKeys,
  batchReviewKeys,
  busKeys,
  channelsKeys,
  connectionsKeys,
  executionKeys,
  gatesKeys,
  limitsKeys,
  messagesKeys,
  nonceStoreKeys,
  reviewKeys,
  sandboxKeys,
  schedulerKeys,
  skillsKeys,
} from "./config-schema-work.ts";

/**
 * The one schema of Silas' configuration: every key by its wire name, under the root `silas` of a file.
 * Listed name by name: a spread would keep the whole schema in a page that never reads it.
 */
export const CONFIG_SCHEMA = group({
  owner_id: key(text({ pattern: /^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/, expected: "a name without spaces" }), {
    is: "owner",
    doc: "Identity of the owner.",
  }),
  data_dir: key(path(), {
    is: "./data",
    doc: "Where everything is kept: `./data` in a checkout, otherwise the data directory of your system.",
  }),
  models: modelsKeys,
  providers: providersKeys,
  search: searchKeys,
  context: contextKeys,
  rehydration: rehydrationKeys,
  memory: memoryKeys,
  personality: personalityKeys,
  interaction: interactionKeys,
  suggestions: suggestionsKeys,
  behavior_preferences: behaviorPreferencesKeys,
  channels: channelsKeys,
  limits: limitsKeys,
  backpressure: backpressureKeys,
  bus: busKeys,
  execution: executionKeys,
  sandbox: sandboxKeys,
  approval: approvalKeys,
  messages: messagesKeys,
  nonce_store: nonceStoreKeys,
  review: reviewKeys,
  connections: connectionsKeys,
  batch_review: batchReviewKeys,
  autonomy: autonomyKeys,
  gates: gatesKeys,
  active_goal: key(nullable(path()), { is: null, doc: "Plan file of a goal to take up at start." }),
  scheduler: schedulerKeys,
  skills: skillsKeys,
  skills_dir: key(path(), {
    is: "./silas/skills",
    doc: "Your skills: `./silas/skills` in a checkout, otherwise `skills` in data_dir.",
  }),
});

export type Config = ConfigOf<typeof CONFIG_SCHEMA>;
