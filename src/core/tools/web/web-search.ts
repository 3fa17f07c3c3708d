import { LIMITS } from "#base";
import {
  domainNames,
  group,
  key,
  longLine,
  nullable,
  required,
  SEARCH_DOOR,
  SEARCH_HOST,
  shownLine,
  whole,
} from "#model";
import { ownProgram } from "../programs/node.ts";
import { defineTool } from "../tool.ts";

export const webSearch = defineTool({
  name: "web_search",
  origin: "core",
  version: 1,
  description:
    "Searches the web with the provider that is set up here. Use it for facts that are on no machine of the owner. The query leaves the machine word for word.",
  output: "Returns a JSON list of results, each with title, url and content.",
  input: group({
    query: required(shownLine({ charsMax: LIMITS.planTextChars }), "What is searched for, word for word."),
    max_results: key(nullable(whole(1, 50)), { is: null, doc: "How many results; never more than is configured." }),
    domains: key(domainNames(), { is: [], doc: "Only results from these domains; all of them when it is empty." }),
    file: key(nullable(longLine("pathChars")), { is: null, doc: "A file that the results are written to as well." }),
  }),
  effect: "send",
  offeredTo: ["plan"],
  repeatable: "never",
  needs: "search",
  touches: ({ file }) => ({
    places: file === null ? [] : [{ key: "file", path: file, access: "write" }],
    // Where a search goes, although no program reaches it itself.
    hosts: [SEARCH_HOST],
  }),
  shown: ({ query, domains }) => ["web_search", query, ...domains],
  program: (args) => ({
    ...ownProgram(SEARCH_PROGRAM, { tool: "web_search", args }),
    search: { query: args.query, maxResults: args.max_results, domains: args.domains },
  }),
});

/**
 * It asks by name only: which query that is, and with whose key, is known outside, where the plan was approved. The answer
 * is printed, and written to a file where the step names one.
 */
const SEARCH_PROGRAM = `"use strict";
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
