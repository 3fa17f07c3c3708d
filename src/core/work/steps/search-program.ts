import { SEARCH_DOOR } from "#model";

/**
 * What `web_search` runs in the sandbox. It asks by name only: which query that is, and with whose key, is known outside,
 * where the plan was approved. The answer is printed, and written to a file where the step names one.
 */
export const SEARCH_PROGRAM = `"use strict";
const fs = require("node:fs");
const http = require("node:http");
const { dirname } = require("node:path");
const { args } = JSON.parse(fs.readFileSync(0, "utf8"));
const fail = (words) => {
  process.stderr.write("web_search: " + words + "\\n");
  process.exitCode = 1;
};
const { hostname, port } = new URL(process.env.http_proxy ?? "http://127.0.0.1:1");
// An agent of its own: the usual one would go to the proxy to reach the proxy.
const options = { agent: new http.Agent(), host: hostname, port, method: "POST", path: "http://${SEARCH_DOOR}/" };
const request = http.request(options, (response) => {
  let text = "";
  response.setEncoding("utf8").on("data", (part) => (text += part));
  response.on("end", () => {
    if (response.statusCode !== 200) return fail(text.trim());
    if (args.file !== null) {
      fs.mkdirSync(dirname(args.file), { recursive: true });
      fs.writeFileSync(args.file, text);
    }
    process.stdout.write(text);
  });
});
request.on("error", (cause) => fail(cause.message));
request.end();
`;
