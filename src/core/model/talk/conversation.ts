/** A tool as a model is told about it. */
export type OfferedTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: object;
};
