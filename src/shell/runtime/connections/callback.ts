import type { AddressInfo } from "node:net";

/** Where a service leads a browser back to. Held by Silas: a sandbox has no such place. */
export type Callback = {
  readonly listeningOn: string;
  readonly uri: string;
  close(): void;
};
export type CallbackQuery = { readonly code: string | null; readonly state: string; readonly error: string };

const PAGE = "<!doctype html><meta charset=utf-8><title>Silas</title><p>You can close this page and go back to Silas.";

/** Listens on this machine alone, on a port nobody chose, for the one page that leads back. [SETUP-12] */
export async function openCallback(onQuery: (query: CallbackQuery) => void): Promise<Callback> {
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const isMeant = request.method === "GET" && url.pathname === "/callback";
    response.writeHead(isMeant ? 200 : 404, {
      "content-type": "text/html",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(isMeant ? PAGE : "");
    const get = (name: string): string => (url.searchParams.get(name) ?? "").slice(0, 4_000);
    if (isMeant) onQuery({ code: get("code") || null, state: get("state"), error: get("error").slice(0, 80) });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const listeningOn = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    listeningOn,
    uri: `http://${listeningOn}/callback`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
