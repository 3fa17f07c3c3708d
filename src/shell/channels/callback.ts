import type { AddressInfo } from "node:net";
import type { OpenCallback } from "#ports";

const PAGE = "<!doctype html><meta charset=utf-8><title>Silas</title><p>You can close this page and go back to Silas.";

/**
 * Listens on this machine alone, on a port nobody chose, for the one page that leads back. A name that somebody made to
 * point here is not answered: a browser that was led back names the number and the port. [SETUP-12]
 */
export const openCallback: OpenCallback = async (onQuery) => {
  const { createServer } = process.getBuiltinModule("node:http");
  let listeningOn = "";
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? "", "http://127.0.0.1");
    const isMeant =
      request.method === "GET" && request.headers.host === listeningOn && url !== null && url.pathname === "/callback";
    response.writeHead(isMeant ? 200 : 404, {
      "content-type": "text/html",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(isMeant ? PAGE : "");
    if (!isMeant) return;
    const get = (name: string): string => (url.searchParams.get(name) ?? "").slice(0, 4_000);
    onQuery({ code: get("code") || null, state: get("state"), error: get("error").slice(0, 80) });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  listeningOn = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    listeningOn,
    uri: `http://${listeningOn}/callback`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
