import type { ConnectionManifest, ConnectionRecord } from "#model";

type Asking = {
  readonly record: Pick<ConnectionRecord, "connectionId" | "initialPermissions">;
  readonly manifest: Pick<ConnectionManifest, "service" | "clientId" | "adminConsentUrl" | "permissionReasons">;
};

/** A plan that writes a letter to whoever decides in an organisation. It sends nothing; a person does that. [RECOV-02] */
export function itRequestPlan({ record, manifest }: Asking): string {
  const { service, clientId, adminConsentUrl, permissionReasons } = manifest;
  const reasonOf = (one: string): string =>
    Object.hasOwn(permissionReasons, one) ? (permissionReasons[one] ?? "") : "the connection begins with it";
  const letter = [
    `Subject: Please allow Silas to connect to ${service}`,
    "",
    `Hello, I would like to use ${service} with Silas, an assistant that runs on my own machine.`,
    `Client ID: ${clientId ?? "(the skill names none)"}`,
    "Redirect URI: http://127.0.0.1 (any port; the page leads back to my own machine)",
    "Permissions:",
    ...record.initialPermissions.map((one) => `- ${one}: ${reasonOf(one)}`),
    `Consent for administrators: ${adminConsentUrl ?? "(the skill names no page)"}`,
    "",
  ].join("\n");
  // Text in JSON is text in YAML, whatever it holds.
  return [
    "---",
    `id: task-it-${record.connectionId}`,
    "type: task",
    `title: ${JSON.stringify(`Draft a request to IT for ${service}`)}`,
    "steps:",
    "  - name: draft",
    "    tool: file_write",
    `    args: { path: request.txt, content: ${JSON.stringify(letter)} }`,
    "    artifacts: { request: request.txt }",
    "---",
    "",
    "# What to do",
    "",
    "Write the letter. Nobody sends it but you.",
    "",
  ].join("\n");
}
