/** Where every sandbox shows the Node that Silas itself runs on. */
export const NODE = "/opt/silas/bin/node";

/** A program of Silas's own, as text: no file of Silas is visible where it runs. It reads the call as JSON. */
export const ownProgram = (program: string, call: { readonly tool: string; readonly args: object }) => ({
  argv: [NODE, "--input-type=commonjs", "--eval", program],
  stdin: JSON.stringify(call),
});
