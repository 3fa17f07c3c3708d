import { jsonSchemaOf, type OfferedTool } from "#model";
import type { Tool } from "./tool.ts";

/**
 * A tool as a model is told about it. A call that runs in a workspace may name files there as results: that is no argument
 * of the tool, and is offered as one more property beside them.
 */
export function offeredTool({ name, description, output, input, offeredTo }: Tool): OfferedTool {
  const schema = jsonSchemaOf(input);
  const properties = offeredTo.includes("plan") ? { ...schema.properties, artifacts: ARTIFACTS } : schema.properties;
  return { name, description: `${description} ${output}`, inputSchema: { ...schema, properties } };
}

const ARTIFACTS = {
  type: "object",
  additionalProperties: { type: "string" },
  description:
    "Files of the workspace that are results of the task from this call on: their paths, by a name for each.",
};
